// SPDX-License-Identifier: Apache-2.0

// The scenarios to measure, separate from the measurement. A scenario has a host with a controller
// and a peer of its own in the same process and on the same thread: without a system call, another
// process, or a scheduler, so that a figure changes only with the host's own code.
// `Scripts/benchmark-hosts` measures the cost of sockets and processes.
//
// `ScriptedController` is the controller and the peer's server, and answers with bytes that were
// prepared beforehand. `HostScenario` is the whole host on it. `DecodeScenario` is the decoding of
// one notification through the layers without the host. `SocketEcho` is the reference for every
// figure: a plain write and read at both ends of a socket.
