// SPDX-License-Identifier: Apache-2.0

// The connection of virtual worlds to hosts. A `World` (module `VirtualRadio`) does not run by
// itself, and uses no threads, no transports and no real time. This module runs it in one of two
// ways, and makes the transports between its controllers and the hosts.
//
// In a `SimulatedAir`, hosts and world share virtual time. One thread runs a loop. First it runs
// all work of the hosts at this instant (`SimulationExecutor`, on which any number of hosts run).
// Then it runs the world until the world has something for a host, or until a host's timer is due.
// So time does not pass while a host has work, and jumps when no host has work. The order is the
// same in every run, and so is every packet. Therefore no code in a `SimulatedAir` may wait for
// real events. The loop cannot detect a task on another executor. It waits for such a task only
// when no other work is left, and only for a limited time. It can detect work on queues that
// reports its beginning and end (`HostExecutor.beginOutsideWork()`), and time does not advance
// during that work.
//
// In a `LiveAir`, the world follows the system's clock. It runs on an `AdapterExecutor`, together
// with the sockets: each turn runs the world up to now, and a timer starts the next turn when an
// event is due. Hosts of the process share the thread. Other hosts connect to a listening socket,
// and each connection gets its own controller while it lasts.
//
// A `VirtualTransport` is the transport of a host in either kind of air. A `WorldTrace` writes the
// packets between controllers and hosts, one packet log for each controller, in the time of the
// world.
