-- Stands before every question; runs inside Neovim 0.7 and later. Answers are
-- plain lists, because an empty table has no keys to tell it from a map.
-- Neovim compiles all this anew for every question, so each is sent alone.
local api = vim.api

local function is_file(buf)
  local kind = vim.bo[buf].buftype
  return (kind == '' or kind == 'acwrite') and api.nvim_buf_get_name(buf) ~= ''
end

-- Returns the files that hold unsaved changes, and whether each is shown.
local function unsaved()
  local out, shown = {}, nil
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if vim.bo[buf].modified and is_file(buf) then
      if shown == nil then
        shown = {}
        for _, win in ipairs(api.nvim_list_wins()) do
          shown[api.nvim_win_get_buf(win)] = true
        end
      end
      out[#out + 1] = { api.nvim_buf_get_name(buf), shown[buf] == true }
    end
  end
  return out
end
