// SPDX-License-Identifier: Apache-2.0

// The Host Controller Interface: how a host tells a Bluetooth controller what to do.
//
// A controller is a small computer with a radio. The host sends it *commands*; it answers each one
// with a *Command Complete* event (the work is done, and here are the results) or a *Command
// Status* event (the work has begun, and another event will tell how it ended). Which of the two a
// command gets is part of its type here: `CommandCompleteCommand` or `CommandStatusCommand`. What
// happens on the air arrives as further *events*, and what the links carry travels beside them as
// *ACL data packets*. On most wires the four kinds share one stream of bytes, told apart by one
// octet before each packet; that is H4 (Vol 4, Part A).
//
// Two budgets keep the host from drowning the controller. Each answer says how many more commands
// may be sent (`CommandQueue` keeps that count), and each ACL packet occupies one of the
// controller's few buffers until a Number Of Completed Packets event gives it back
// (`ACLTransmitQueue`). `ControllerStartup` takes a controller from power-on to a state known in
// every respect that the rooms above depend on, and sums it up as `ControllerCapabilities`.
//
// The controller is not trusted. It may be broken, or sit at the far end of a socket; nothing it
// sends may trap, grow without bound, or be taken for the answer to something else.

/// The namespace of the Host Controller Interface (Vol 4, Part E).
public enum HCI {}
