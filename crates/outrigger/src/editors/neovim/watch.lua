-- Remembers where a selection was left, so that a prompt sent right afterwards
-- can still carry it. By the time the mode has changed, the selected text may
-- have been deleted; that it was not is seen by the state on entering.
local function watch_selections()
  if vim.g.outrigger_left ~= nil then
    return
  end
  vim.g.outrigger_left = {}
  local group = api.nvim_create_augroup('outrigger', { clear = true })
  local entered = {}
  api.nvim_create_autocmd('ModeChanged', {
    group = group,
    pattern = '*:[vV\22]*',
    callback = function()
      local buf = api.nvim_get_current_buf()
      entered = { buf = buf, tick = api.nvim_buf_get_changedtick(buf) }
    end,
  })
  api.nvim_create_autocmd('ModeChanged', {
    group = group,
    pattern = '[vV\22]*:*',
    callback = function()
      if entered.buf == api.nvim_get_current_buf() then
        vim.g.outrigger_left = {
          at = os.time(),
          buf = entered.buf,
          tick = entered.tick,
          swant = vim.fn.winsaveview().curswant,
        }
      end
    end,
  })
end

watch_selections()
