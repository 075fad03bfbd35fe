-- Returns what is selected, or was until just now.
local BLOCK = '\22'
-- A line's end in a column, as Vim says it.
local TO_THE_END = 2147483647
-- Far more than is passed on; a human may select a whole log file.
local MAX_BYTES = 32000

-- Returns the characters of a line with the screen columns they take.
local function cells(line)
  local out, column, byte = {}, 0, 1
  for _, char in ipairs(vim.fn.split(line, '\\zs')) do
    local width = vim.fn.strdisplaywidth(char, column)
    out[#out + 1] = { char = char, first = column, last = column + width - 1, byte = byte }
    column, byte = column + width, byte + #char
  end
  return out, column
end

-- Returns the first and the last screen column of the character at a byte.
local function columns_at(line, byte)
  local chars, width = cells(line)
  for _, it in ipairs(chars) do
    if byte < it.byte + #it.char then
      return it.first, it.last
    end
  end
  return width, width
end

-- Returns what lies between two screen columns. Of a tab or a wide character
-- that is cut, blanks remain, as when Vim copies.
local function between(line, left, right)
  local out = {}
  for _, it in ipairs((cells(line))) do
    if it.first >= left and it.last <= right then
      out[#out + 1] = it.char
    else
      local n_cut = math.min(it.last, right) - math.max(it.first, left) + 1
      out[#out + 1] = (' '):rep(n_cut)
    end
  end
  return table.concat(out)
end

-- Returns lines as far as they fit.
local function some_lines(buf, first, last)
  local out, n_bytes = {}, 0
  for idx = first, last do
    local line = api.nvim_buf_get_lines(buf, idx - 1, idx, false)[1]
    if line == nil or n_bytes > MAX_BYTES then
      break
    end
    out[#out + 1] = line:sub(1, MAX_BYTES)
    n_bytes = n_bytes + #line
  end
  return out
end

-- Returns what is selected between two positions, each a line and a byte.
local function region(buf, kind, from, to, swant)
  local l1, c1, l2, c2 = from[1], from[2], to[1], to[2]
  if l1 > l2 or (l1 == l2 and c1 > c2) then
    l1, c1, l2, c2 = l2, c2, l1, c1
  end
  local excludes_end = vim.o.selection == 'exclusive'
  local lines = some_lines(buf, l1, l2)
  local is_whole = #lines == l2 - l1 + 1
  if kind == 'v' then
    if is_whole then
      local line = lines[#lines]
      local char = excludes_end and '' or vim.fn.matchstr(line:sub(c2), '^.')
      lines[#lines] = line:sub(1, c2 - 1 + #char)
    end
    lines[1] = lines[1]:sub(c1)
  elseif kind == BLOCK then
    local last_line = api.nvim_buf_get_lines(buf, l2 - 1, l2, false)[1]
    local first1, last1 = columns_at(lines[1], c1)
    local first2, last2 = columns_at(last_line, c2)
    local left, right = math.min(first1, first2), math.max(last1, last2)
    if swant >= TO_THE_END then
      right = TO_THE_END
    elseif excludes_end then
      right = math.max(first1, first2) - 1
    end
    for idx, line in ipairs(lines) do
      lines[idx] = between(line, left, right)
    end
  end
  local text = table.concat(lines, '\n')
  local name = api.nvim_buf_get_name(buf)
  return { { vim.loop.fs_realpath(name) or name, l1, l2, text } }
end

local function selected_now()
  local kind = api.nvim_get_mode().mode:sub(1, 1)
  local buf = api.nvim_get_current_buf()
  if not (kind == 'v' or kind == 'V' or kind == BLOCK) or not is_file(buf) then
    return nil
  end
  local from, to = vim.fn.getpos('v'), vim.fn.getpos('.')
  local swant = vim.fn.winsaveview().curswant
  return region(buf, kind, { from[2], from[3] }, { to[2], to[3] }, swant)
end

local function just_left()
  local left = vim.g.outrigger_left
  vim.g.outrigger_left = {}
  local buf = left.buf
  if buf == nil or os.time() - left.at > 120 or not api.nvim_buf_is_loaded(buf)
      or not is_file(buf) or api.nvim_buf_get_changedtick(buf) ~= left.tick then
    return {}
  end
  local kind = api.nvim_buf_call(buf, vim.fn.visualmode)
  local from, to = api.nvim_buf_get_mark(buf, '<'), api.nvim_buf_get_mark(buf, '>')
  if from[1] == 0 or to[1] == 0 then
    return {}
  end
  return region(buf, kind, { from[1], from[2] + 1 }, { to[1], to[2] + 1 }, left.swant)
end

return selected_now() or just_left()
