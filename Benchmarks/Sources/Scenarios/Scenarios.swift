// SPDX-License-Identifier: Apache-2.0

// What is measured, apart from how. A scenario is a host with a controller and a peer of its own in
// the same process, on the same thread: no system call, no other process and no scheduler takes
// part, so that what a figure changes by is what the host's own code changed by. What sockets and
// processes add is measured by `Scripts/benchmark-hosts`.
//
// `ScriptedController` plays the controller and the peer's server; it answers with bytes prepared
// beforehand. `HostScenario` is the whole host on it; `DecodeScenario` is one notification's way
// through the layers without the host; `SocketEcho` is the floor that every figure is compared to:
// a plain write and read at both ends of a socket.
