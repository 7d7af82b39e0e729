// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATT {
    /// What a client can be asked to do. Each case names the procedure that carries it out, of
    /// Vol 3, Part G, chapter 4.
    ///
    /// A range whose first handle lies after its last is empty: its discovery succeeds at once,
    /// without traffic, and finds nothing.
    package enum Operation: Equatable, Sendable {
        /// Exchange MTU (4.3.1). Ends in `.mtu`. Asked a second time it ends at once, since a
        /// client may exchange once for each link.
        case exchangeMTU

        /// Discover All Primary Services (4.4.1), or Discover Primary Service by Service UUID
        /// (4.4.2). Ends in `.services`, in the order of their handles.
        case discoverPrimaryServices(uuid: BluetoothUUID?)

        /// The same for secondary services, which the profile reaches through includes only: many
        /// servers answer the request, others refuse it. Ends in `.services`.
        case discoverSecondaryServices

        /// Find Included Services (4.5.1) among a service's handles. Ends in `.includedServices`.
        case findIncludedServices(first: AttributeHandle, last: AttributeHandle)

        /// Discover All Characteristics of a Service (4.6.1), or Discover Characteristics by UUID
        /// (4.6.2), which keeps some of the same answers. Ends in `.characteristics`.
        case discoverCharacteristics(
            first: AttributeHandle,
            last: AttributeHandle,
            uuid: BluetoothUUID?
        )

        /// Discover All Characteristic Descriptors (4.7.1): every attribute between a value and
        /// the end of its characteristic. Ends in `.descriptors`.
        case discoverDescriptors(first: AttributeHandle, last: AttributeHandle)

        /// The same for many characteristics at once: every attribute in these ranges, which lie one
        /// after the other. Ends in `.descriptors`.
        case discoverAllDescriptors([ClosedRange<AttributeHandle>])

        /// Reads the Database Hash (7.3) in one request. Ends in `.value`, of 16 octets.
        case readDatabaseHash

        /// Read Characteristic Value (4.8.1) or Descriptor (4.12.1): one request. Ends in
        /// `.value`, cut off after MTU − 1 octets.
        case read(AttributeHandle)

        /// Read Long Characteristic Values (4.8.3) or Descriptors (4.12.2): as many requests as
        /// the value takes. Ends in `.value`.
        case readLong(AttributeHandle)

        /// Read Using Characteristic UUID (4.8.2). Ends in `.values`, none of them longer than
        /// MTU − 4 octets or 253; the profile gives no way to learn that one was longer.
        case readUsingUUID(BluetoothUUID, first: AttributeHandle, last: AttributeHandle)

        /// Read Multiple Characteristic Values (4.8.4): two or more handles. Ends in `.value`, the
        /// values one after the other: who reads must know their lengths.
        case readMultiple([AttributeHandle])

        /// Read Multiple Variable Length Characteristic Values (4.8.5): two or more handles. Ends
        /// in `.values`, fewer than asked for if they did not fit, the last perhaps cut off.
        case readMultipleVariable([AttributeHandle])

        /// Write Characteristic Value (4.9.3) or Descriptor (4.12.3): at most MTU − 3 octets. Ends
        /// in `.done` when the server has answered.
        case write(AttributeHandle, [UInt8])

        /// Write Long Characteristic Values (4.9.4) or Descriptors (4.12.4), from `offset` on: the
        /// server takes all of it or nothing. Ends in `.done`.
        case writeLong(AttributeHandle, offset: Int, [UInt8])

        /// Characteristic Value Reliable Writes (4.9.5): the server takes all of the values or
        /// none. Ends in `.done`.
        case reliableWrite([AttributeValue])

        /// Write Without Response (4.9.1): at most MTU − 3 octets. Ends in `.done` when the
        /// command was taken to be sent; nobody learns what became of it.
        case writeWithoutResponse(AttributeHandle, [UInt8])

        /// Signed Write Without Response (4.9.2), for links that are not encrypted: at most MTU − 15
        /// octets. Ends in `.done` as the former does.
        case signedWriteWithoutResponse(AttributeHandle, [UInt8], CommandSigner)

        /// Writes the Client Characteristic Configuration descriptor at `descriptor` (4.12.3), so
        /// that the server sends the value at `valueHandle` unasked. Ends in `.done`.
        case subscribe(
            valueHandle: AttributeHandle,
            descriptor: AttributeHandle,
            SubscriptionKind
        )

        /// Writes zero to the Client Characteristic Configuration descriptor at `descriptor`. Ends
        /// in `.done`.
        case unsubscribe(valueHandle: AttributeHandle, descriptor: AttributeHandle)
    }
}

extension GATT.Operation {
    /// The first attribute that the caller names; nil if the operation looks for its attributes
    /// itself.
    package var namedHandle: AttributeHandle? {
        switch self {
        case .exchangeMTU, .discoverPrimaryServices, .discoverSecondaryServices,
            .findIncludedServices, .discoverCharacteristics, .discoverDescriptors,
            .discoverAllDescriptors, .readDatabaseHash, .readUsingUUID:
            nil
        case .read(let handle), .readLong(let handle), .write(let handle, _),
            .writeLong(let handle, _, _), .writeWithoutResponse(let handle, _),
            .signedWriteWithoutResponse(let handle, _, _):
            handle
        case .readMultiple(let handles), .readMultipleVariable(let handles): handles.first
        case .reliableWrite(let values): values.first?.handle
        case .subscribe(_, let descriptor, _), .unsubscribe(_, let descriptor): descriptor
        }
    }
}
