// SPDX-License-Identifier: Apache-2.0
// Go: the version, a draw, a named stream, an error. Needs golang-github-vmihailenco-msgpack.v5-dev, or that package's module:
// GO111MODULE=off GOPATH=/usr/share/gocode go run go.go SOCKET
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/vmihailenco/msgpack/v5"
)

type object = map[string]interface{}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	conn, err := net.Dial("unix", os.Args[1])
	must(err)
	replies, last, samples, faces := msgpack.NewDecoder(conn), 0, make([]float32, 4), make([]int32, 4)
	// Sends a request and waits for its reply, a map, or its error. Notifications, which have three elements, are skipped.
	call := func(method string, params object) (object, error) {
		last++
		request, err := msgpack.Marshal([]interface{}{0, last, method, []object{params}})
		must(err)
		conn.Write(request)
		reply := []interface{}{}
		for len(reply) != 4 {
			must(replies.Decode(&reply))
		}
		if reply[2] != nil {
			return nil, fmt.Errorf("%v", reply[2].([]interface{})[1])
		}
		return reply[3].(object), nil
	}
	version, _ := call("version", object{})
	fmt.Printf("%v, stream format %v\n", version["name"], version["stream_format"])
	draw, err := call("normal", object{"n": 4, "seed": 1})
	must(err)
	must(binary.Read(bytes.NewReader(draw["data"].([]byte)), binary.LittleEndian, samples))
	fmt.Printf("normal %.6f %.6f %.6f %.6f\n", samples[0], samples[1], samples[2], samples[3])
	// Every process on the host may draw from it, and no number is given out twice.
	if _, err = call("stream_create", object{"name": "example/go", "seed": 7}); err != nil && !strings.HasPrefix(err.Error(), "exists:") {
		panic(err)
	}
	dice, err := call("stream_draw", object{"name": "example/go", "draw": object{"op": "randint", "n": 4, "low": 1, "high": 7, "dtype": "i32"}})
	must(err)
	must(binary.Read(bytes.NewReader(dice["data"].([]byte)), binary.LittleEndian, faces))
	fmt.Printf("dice %d %d %d %d from offset %v of seed %v\n", faces[0], faces[1], faces[2], faces[3], dice["offset"], dice["seed"])
	_, err = call("normal", object{"n": 4, "std": -1})
	fmt.Println("error", err)
}
