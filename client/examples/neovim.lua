-- SPDX-License-Identifier: Apache-2.0
-- Lua in Neovim: the version, a draw that comes with the reply, a named stream, an error. Neovim speaks the protocol itself.
--
--   nvim --headless --clean -l neovim.lua [SOCKET]      Neovim 0.9 or later
--   TRNSCI_SOCKET=SOCKET nvim --headless --clean -c 'luafile neovim.lua' -c 'qa!'
local ffi = require('ffi')
local path = arg and arg[1] or os.getenv('TRNSCI_SOCKET') or '/run/trnsci/trnsci.sock'
local channel = vim.fn.sockconnect('pipe', path, { rpc = true })

local function call(method, params)
	return vim.rpcrequest(channel, method, params or {})
end

-- Results are strings of bytes, little endian.
local function numbers(type, format, data)
	local array = ffi.new(type .. '[?]', #data / ffi.sizeof(type))
	local list = {}

	ffi.copy(array, data, #data)
	for i = 0, #data / ffi.sizeof(type) - 1 do
		list[#list + 1] = string.format(format, array[i])
	end
	return table.concat(list, ' ')
end

local function say(...)
	io.stdout:write(table.concat({ ... }, ' '), '\n')
end

local version = call('version')
say(version.name .. ', stream format ' .. version.stream_format)

local draw = call('normal', { n = 4, seed = 1 })
say('normal', numbers('float', '%.6f', draw.data))

-- Every process on the host may draw from it, and no number is given out twice.
local created, why = pcall(call, 'stream_create', { name = 'example/neovim', seed = 7 })
if not created and not why:find('exists:') then
	error(why)
end
-- Integers of all 64 bits would be lost in Lua's numbers: as text they are not.
local dice = call('stream_draw', { name = 'example/neovim', u64 = 'str', draw = { op = 'randint', n = 4, low = 1, high = 7, dtype = 'i32' } })
say('dice', numbers('int32_t', '%d', dice.data), 'from offset', dice.offset, 'of seed', dice.seed)

local _, text = pcall(call, 'normal', { n = 4, std = -1 })
say('error', text:match('out_of_range:.*'))
vim.fn.chanclose(channel)
