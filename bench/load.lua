-- wrk's side of a load: -- <file of requests, separated by byte 1> <number to count from>
-- Each @@@@@@@@ in a request becomes a number that was never sent before, in eight digits of base 16: of base 10 they ended in the middle of a run,
-- and bodies got longer than their Content-Length said.
local requests, at, unique = {}, 0, 0

function init(args)
  unique = tonumber(args[2])
  for text in io.open(args[1]):read('*a'):gmatch('[^\1]+') do
    local from, to = text:find('@@@@@@@@', 1, true)
    requests[#requests + 1] = from and { text:sub(1, from - 1), text:sub(to + 1) } or text
  end
end

function request()
  at = at % #requests + 1
  local chosen = requests[at]
  if type(chosen) == 'string' then return chosen end
  unique = unique + 1
  return chosen[1] .. string.format('%08x', unique) .. chosen[2]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"p50":%f,"p99":%f,"failures":%d,"client":%f}',
    summary.requests, summary.duration, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    errors.status + errors.read + errors.timeout + errors.connect, os.clock() * 1e6))
end
