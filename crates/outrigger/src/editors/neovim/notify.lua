-- Tells the human something.
local message = ...

-- Shows one line. A message wider than the screen would have to be dismissed
-- with a key, and Neovim would answer nobody until then; one in the middle of a
-- command line would hide what is being typed.
local function tell(text)
  local is_overridden = not debug.getinfo(vim.notify, 'S').source:find('vim/_editor', 1, true)
  local mode = api.nvim_get_mode().mode:sub(1, 1)
  if is_overridden then
    vim.notify(text, vim.log.levels.WARN)
  elseif mode ~= 'c' and mode ~= 'r' then
    local room = math.max(vim.v.echospace, 20)
    if vim.fn.strdisplaywidth(text) > room then
      text = vim.fn.strcharpart(text, 0, room - 1) .. '…'
    end
    api.nvim_echo({ { text, 'WarningMsg' } }, true, {})
  end
end

vim.schedule(function()
  tell(message)
end)
return {}
