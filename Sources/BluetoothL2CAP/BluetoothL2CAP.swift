// SPDX-License-Identifier: Apache-2.0

// The Logical Link Control and Adaptation Protocol: many conversations over one link.
//
// Each protocol above has a channel, named by a 16-bit identifier. On LE three channels exist
// from the moment that two devices connect, and need no setting up: the Attribute Protocol's, the
// Security Manager's, and L2CAP's own for signalling. A PDU, here a frame, is a length, a channel
// and that many octets. `L2CAPFrame` is its codec.
//
// A controller carries less than a frame at a time, perhaps no more than 27 octets. Fragments of
// a frame arrive as ACL packets, in order, the first marked as such: `FrameRecombiner` puts them
// together again, and throws away what does not fit together. The way down is simpler: a frame is
// cut to the controller's buffers where those are counted, in the room of HCI.
//
// The signalling channel carries requests and responses: about the link itself, such as a
// Peripheral's wish for other connection parameters, and about channels. `Signalling` is the codec of
// its commands, `SignallingChannel` one side of the conversation.
//
// Further channels are set up by signalling, and carry SDUs of up to 64 KiB in as many frames as
// they take. Each side may send as many frames as the other gave it credits for, so neither can be
// flooded. `LogicalLink` owns the signalling and those channels of one link; a `ChannelSender` and a
// `ChannelReceiver` are the two halves of each.
