// SPDX-License-Identifier: Apache-2.0

// The Host Controller Interface: the commands and events with which a host operates a Bluetooth
// controller.
//
// The host sends *commands* to the controller. The controller answers a command with a *Command
// Complete* event, when the work is done and the results are known, or with a *Command Status*
// event, when the work has begun and a later event will report its result. The type of a command
// states which of the two answers it gets: `CommandCompleteCommand` or `CommandStatusCommand`. The
// controller reports radio activity as further *events*, and the data of the links travels as *ACL
// data packets*. Most transports carry all kinds of packets in one stream of bytes, and one byte
// before each packet gives its kind. That format is H4 (Vol 4, Part A).
//
// Two limits keep the host from overloading the controller. Each answer states how many more
// commands the host may send, and `CommandQueue` keeps that count. Each ACL packet occupies one of
// the controller's buffers until a Number Of Completed Packets event or the end of the link frees
// the buffer, and `ACLTransmitQueue` counts the occupied buffers. `ControllerStartup` takes a
// controller from any state to a known one and returns its `ControllerCapabilities`.
//
// This module does not trust the controller, which may be defective or at the other end of a
// socket. No input from it may trap, cause unbounded growth, or pass as the answer to a different
// command.

/// The namespace of the Host Controller Interface (Vol 4, Part E).
public enum HCI {}
