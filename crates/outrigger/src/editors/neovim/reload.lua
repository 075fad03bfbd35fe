-- Reads the given files again; stands before the question for what is unsaved.
local wanted = {}
for _, path in ipairs(...) do
  wanted[path] = true
end

-- Reads a file again that nobody is editing.
local function reload(buf)
  local lines = api.nvim_buf_get_lines(buf, 0, 2, false)
  if #lines <= 1 and (lines[1] or '') == '' then
    -- Of a file that is there only now, `checktime` warns with a dialog.
    api.nvim_buf_call(buf, function()
      vim.cmd('silent! edit')
    end)
    return
  end
  -- Without it, a human who has turned 'autoread' off would be asked.
  local id = api.nvim_create_autocmd('FileChangedShell', {
    buffer = buf,
    callback = function()
      vim.v.fcs_choice = vim.bo[buf].modified and '' or 'reload'
    end,
  })
  vim.cmd('silent! checktime ' .. buf)
  api.nvim_del_autocmd(id)
end

for _, buf in ipairs(api.nvim_list_bufs()) do
  if api.nvim_buf_is_loaded(buf) and is_file(buf) and not vim.bo[buf].modified then
    local name = api.nvim_buf_get_name(buf)
    if wanted[vim.loop.fs_realpath(name) or name] then
      reload(buf)
    end
  end
end
