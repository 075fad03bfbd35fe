-- Sent with every question; runs inside Neovim 0.7 and later. Answers with
-- plain lists, because an empty table has no keys to tell it from a map.
local what, arg, message = ...
local api, uv = vim.api, vim.loop

local function is_file(buf)
  local kind = vim.bo[buf].buftype
  return (kind == '' or kind == 'acwrite') and api.nvim_buf_get_name(buf) ~= ''
end

local function real(name)
  return uv.fs_realpath(name) or name
end

local function shown()
  local bufs = {}
  for _, win in ipairs(api.nvim_list_wins()) do
    bufs[api.nvim_win_get_buf(win)] = true
  end
  return bufs
end

-- Remembers a selection when it is left, so that a prompt sent right
-- afterwards can still carry it.
local function watch_selections()
  local group = api.nvim_create_augroup('outrigger', { clear = true })
  api.nvim_create_autocmd('ModeChanged', {
    group = group,
    pattern = '[vV\22]*:*',
    callback = function()
      vim.g.outrigger_left_at = os.time()
    end,
  })
end

local function region(first, last, kind)
  local l1, c1, l2, c2 = first[2], first[3], last[2], last[3]
  if l1 > l2 or (l1 == l2 and c1 > c2) then
    l1, c1, l2, c2 = l2, c2, l1, c1
  end
  local lines = api.nvim_buf_get_lines(0, l1 - 1, l2, false)
  if kind == 'v' and #lines > 0 then
    -- The end column is that of the last character's first byte.
    local function upto(line)
      local tail = line:sub(c2)
      local char = vim.fn.strcharpart(tail, 0, 1)
      return line:sub(1, c2 - 1 + #char)
    end
    lines[#lines] = upto(lines[#lines])
    lines[1] = lines[1]:sub(c1)
  elseif kind == '\22' then
    local from, to = math.min(c1, c2), math.max(c1, c2)
    for idx, line in ipairs(lines) do
      lines[idx] = line:sub(from, to)
    end
  end
  return { real(api.nvim_buf_get_name(0)), l1, l2, table.concat(lines, '\n') }
end

if what == 'buffers' then
  local out, visible = {}, shown()
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if is_file(buf) then
      out[#out + 1] = {
        api.nvim_buf_get_name(buf),
        vim.bo[buf].modified,
        visible[buf] == true,
      }
    end
  end
  return out
elseif what == 'reload' then
  local wanted = {}
  for _, path in ipairs(arg) do
    wanted[path] = true
  end
  for _, buf in ipairs(api.nvim_list_bufs()) do
    -- A modified buffer would answer `checktime` with a dialog whose other
    -- choice throws the work away.
    if is_file(buf) and api.nvim_buf_is_loaded(buf) and not vim.bo[buf].modified
        and wanted[real(api.nvim_buf_get_name(buf))] then
      vim.bo[buf].autoread = true
      vim.cmd('silent! checktime ' .. buf)
    end
  end
  return {}
elseif what == 'notify' then
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if is_file(buf) and real(api.nvim_buf_get_name(buf)) == arg then
      vim.schedule(function()
        vim.notify(message, vim.log.levels.WARN)
      end)
      break
    end
  end
  return {}
elseif what == 'selection' then
  if vim.g.outrigger_left_at == nil then
    vim.g.outrigger_left_at = 0
    watch_selections()
  end
  if not is_file(api.nvim_get_current_buf()) then
    return {}
  end
  local mode = api.nvim_get_mode().mode:sub(1, 1)
  if mode == 'v' or mode == 'V' or mode == '\22' then
    return { region(vim.fn.getpos('v'), vim.fn.getpos('.'), mode) }
  end
  local just_left = os.time() - vim.g.outrigger_left_at <= 120
  if just_left then
    vim.g.outrigger_left_at = 0
    return { region(vim.fn.getpos("'<"), vim.fn.getpos("'>"), vim.fn.visualmode()) }
  end
  return {}
end
