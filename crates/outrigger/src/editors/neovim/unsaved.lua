-- Asked before every write, so it is short: what is unsaved, and is it shown?
local out = {}
for _, buf in ipairs(vim.api.nvim_list_bufs()) do
  local options = vim.bo[buf]
  if options.modified then
    local kind, name = options.buftype, vim.api.nvim_buf_get_name(buf)
    if name ~= '' and (kind == '' or kind == 'acwrite') then
      out[#out + 1] = { name, #vim.fn.win_findbuf(buf) > 0 }
    end
  end
end
return out
