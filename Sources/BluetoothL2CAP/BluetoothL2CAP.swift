// SPDX-License-Identifier: Apache-2.0

// The Logical Link Control and Adaptation Protocol: several channels over one link.
//
// Each protocol above L2CAP has a channel with a 16-bit identifier. On LE, three channels exist as
// soon as two devices connect and need no setup: those of the Attribute Protocol, of the Security
// Manager, and of L2CAP's own signaling. A PDU, here called a frame, consists of a length, a
// channel identifier and a payload of that length. `L2CAPFrame` encodes and decodes it.
//
// A controller transfers a frame in fragments of as little as 27 bytes. The fragments arrive as ACL
// packets, in order, and the first is marked. `FrameRecombiner` combines them and discards
// fragments that do not belong together. In the other direction, the module BluetoothHCI fragments
// frames to the size of the controller's buffers, which it counts.
//
// The signaling channel carries requests and responses. Some concern the link itself, such as a
// peripheral's request for other connection parameters. The others concern channels. `Signaling`
// encodes and decodes the commands, and `SignalingChannel` is the local side of the exchange.
//
// Signaling creates further channels. They carry SDUs of up to 65,535 bytes, each in one or more
// frames. A device may send only as many frames as its peer has given it credits for, so neither
// side can overload the other. `LogicalLink` owns the signaling and the channels of one link. A
// `ChannelSender` and a `ChannelReceiver` are the two halves of each channel.
