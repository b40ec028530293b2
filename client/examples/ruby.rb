# SPDX-License-Identifier: Apache-2.0
# Ruby: the version, a draw that comes with the reply, a named stream, an error. Needs the msgpack gem (Debian: ruby-msgpack).
#
#   ruby ruby.rb [SOCKET]
require 'msgpack'
require 'socket'

# Requests and replies over one connection, one at a time.
class Trnsci
  class Error < StandardError; end

  def initialize(path)
    @socket = UNIXSocket.new(path)
    @replies = MessagePack::Unpacker.new(@socket)
    @msgid = 0
  end

  # Returns the reply of a method, a Hash; raises its error.
  def call(method, params = {})
    @socket.write([0, @msgid += 1, method, [params]].to_msgpack)
    loop do
      type, msgid, error, result = @replies.read
      next unless type == 1 && msgid == @msgid # notifications are for others

      raise Error, error[1] if error
      return result
    end
  end
end

trnsci = Trnsci.new(ARGV[0] || ENV['TRNSCI_SOCKET'] || '/run/trnsci/trnsci.sock')

version = trnsci.call('version')
puts "#{version['name']}, stream format #{version['stream_format']}"

draw = trnsci.call('normal', n: 4, seed: 1)
puts "normal #{draw['data'].unpack('e*').map { |x| format('%.6f', x) }.join(' ')}"

# Every process on the host may draw from it, and no number is given out twice.
begin
  trnsci.call('stream_create', name: 'example/ruby', seed: 7)
rescue Trnsci::Error => e
  raise unless e.message.start_with?('exists:')
end
dice = trnsci.call('stream_draw', name: 'example/ruby', draw: { op: 'randint', n: 4, low: 1, high: 7, dtype: 'i32' })
puts "dice #{dice['data'].unpack('l<*').join(' ')} from offset #{dice['offset']} of seed #{dice['seed']}"

begin
  trnsci.call('normal', n: 4, std: -1)
rescue Trnsci::Error => e
  puts "error #{e.message}"
end
