// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATT {
    /// An operation of a client. Each case states the procedure that executes it, with its section
    /// in Vol 3, Part G.
    ///
    /// A range whose first handle is greater than its last is empty. A discovery in it succeeds
    /// immediately, sends nothing and finds nothing.
    package enum Operation: Equatable, Sendable {
        /// Exchange MTU (4.3.1). The outcome is `.mtu`. A second exchange ends immediately, because
        /// a client may exchange MTUs only once on each link.
        case exchangeMTU

        /// Discover All Primary Services (4.4.1), or Discover Primary Service by Service UUID
        /// (4.4.2). The outcome is `.services`, in the order of their handles.
        case discoverPrimaryServices(uuid: BluetoothUUID?)

        /// Discovers all secondary services. The profile accesses them only through includes, so
        /// some servers refuse the request. The outcome is `.services`.
        case discoverSecondaryServices

        /// Find Included Services (4.5.1) in the handles of a service. The outcome is
        /// `.includedServices`.
        case findIncludedServices(first: AttributeHandle, last: AttributeHandle)

        /// Discover All Characteristics of a Service (4.6.1), or Discover Characteristics by UUID
        /// (4.6.2), which selects from the same responses. The outcome is `.characteristics`.
        case discoverCharacteristics(
            first: AttributeHandle,
            last: AttributeHandle,
            uuid: BluetoothUUID?
        )

        /// Discover All Characteristic Descriptors (4.7.1): all attributes after a value up to the
        /// end of its characteristic. The outcome is `.descriptors`.
        case discoverDescriptors(first: AttributeHandle, last: AttributeHandle)

        /// Discover All Characteristic Descriptors for many characteristics: all attributes in
        /// these ranges, which are in ascending order. The outcome is `.descriptors`.
        case discoverAllDescriptors([ClosedRange<AttributeHandle>])

        /// Reads the Database Hash (7.3) with one request. The outcome is `.value` with 16 bytes.
        case readDatabaseHash

        /// Reads the Device Name (Vol 3, Part C, 12.1), with as many requests as the name needs.
        /// The outcome is `.value`.
        case readDeviceName

        /// Read Characteristic Value (4.8.1) or Descriptor (4.12.1), with one request. The outcome
        /// is `.value`, truncated to MTU − 1 bytes.
        case read(AttributeHandle)

        /// Read Long Characteristic Values (4.8.3) or Descriptors (4.12.2), with as many requests
        /// as the value needs. The outcome is `.value`.
        case readLong(AttributeHandle)

        /// Read Using Characteristic UUID (4.8.2). The outcome is `.values`, each truncated to MTU
        /// − 4 bytes or to 253 bytes if that is less. The profile does not report whether a value
        /// was truncated.
        case readUsingUUID(BluetoothUUID, first: AttributeHandle, last: AttributeHandle)

        /// Read Multiple Characteristic Values (4.8.4) of two or more handles. The outcome is
        /// `.value` with the concatenated values, whose lengths the caller must know.
        case readMultiple([AttributeHandle])

        /// Read Multiple Variable Length Characteristic Values (4.8.5) of two or more handles. The
        /// outcome is `.values`. If the response is too small, values are missing at the end, and
        /// the last one may be truncated.
        case readMultipleVariable([AttributeHandle])

        /// Write Characteristic Value (4.9.3) or Descriptor (4.12.3) with at most MTU − 3 bytes.
        /// The outcome is `.done` when the server has responded.
        case write(AttributeHandle, [UInt8])

        /// Write Long Characteristic Values (4.9.4) or Descriptors (4.12.4) from `offset`. The
        /// server writes all of the value or nothing. The outcome is `.done`.
        case writeLong(AttributeHandle, offset: Int, [UInt8])

        /// Characteristic Value Reliable Writes (4.9.5). The server writes all of the values or
        /// none. The outcome is `.done`.
        case reliableWrite([AttributeValue])

        /// Write Without Response (4.9.1) with at most MTU − 3 bytes. The outcome is `.done` when
        /// the command was sent. The server does not report whether the write succeeded.
        case writeWithoutResponse(AttributeHandle, [UInt8])

        /// Signed Write Without Response (4.9.2) for links without encryption, with at most MTU −
        /// 15 bytes. The outcome is `.done` when the command was sent.
        case signedWriteWithoutResponse(AttributeHandle, [UInt8], CommandSigner)

        /// Writes the Client Characteristic Configuration descriptor at `descriptor` (4.12.3), so
        /// that the server sends the value at `valueHandle` when it changes. The outcome is
        /// `.done`.
        case subscribe(
            valueHandle: AttributeHandle,
            descriptor: AttributeHandle,
            SubscriptionKind
        )

        /// Writes zero to the Client Characteristic Configuration descriptor at `descriptor`. The
        /// outcome is `.done`.
        case unsubscribe(valueHandle: AttributeHandle, descriptor: AttributeHandle)
    }
}

extension GATT.Operation {
    /// The handle of the first attribute that the operation reads or writes, or `nil` if the caller
    /// gives no handle or only a range of handles.
    package var namedHandle: AttributeHandle? {
        switch self {
        case .exchangeMTU, .discoverPrimaryServices, .discoverSecondaryServices,
            .findIncludedServices, .discoverCharacteristics, .discoverDescriptors,
            .discoverAllDescriptors, .readDatabaseHash, .readDeviceName, .readUsingUUID:
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

extension GATT {
    /// The result of a successful operation.
    package enum Outcome: Equatable, Sendable {
        /// The operation has no further result.
        case done
        /// The MTU of the bearer in bytes.
        case mtu(Int)
        /// Services in the order of their handles.
        case services([Service])
        /// Include declarations in the order of their handles.
        case includedServices([IncludedService])
        /// Characteristics in the order of their handles.
        case characteristics([Characteristic])
        /// Descriptors in the order of their handles.
        case descriptors([Descriptor])
        /// The bytes of one value, or of several concatenated values.
        case value([UInt8])
        /// Values with their attributes, in the order of the response.
        case values([AttributeValue])
    }
}

extension GATT {
    /// A value and its attribute, for reading or writing.
    public struct AttributeValue: Hashable, Sendable {
        /// The handle of the attribute.
        public let handle: AttributeHandle

        /// The bytes of the value. A write of more than `GATT.valueLengthLimit` bytes fails.
        public let value: [UInt8]

        /// Whether the end of the value is missing, because it did not fit into the response to a
        /// read of several values (Vol 3, Part F, 3.4.4.12).
        public let isTruncated: Bool

        /// Creates a value with its attribute.
        public init(handle: AttributeHandle, value: [UInt8], isTruncated: Bool = false) {
            self.handle = handle
            self.value = value
            self.isTruncated = isTruncated
        }
    }
}
