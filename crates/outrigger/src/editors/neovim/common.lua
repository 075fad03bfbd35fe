-- Stands before most questions; runs inside Neovim 0.7 and later. Answers are
-- plain lists, because an empty table has no keys to tell it from a map.
-- Neovim compiles all this anew for every question, so each is sent alone.
local api = vim.api

local function is_file(buf)
  local kind = vim.bo[buf].buftype
  return (kind == '' or kind == 'acwrite') and api.nvim_buf_get_name(buf) ~= ''
end
