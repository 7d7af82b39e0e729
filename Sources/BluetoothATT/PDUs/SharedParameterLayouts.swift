// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// Layouts of parameters that several PDUs share, so that each layout is decoded and encoded in one
// place.

extension ATT {
    /// A handle and a value, which extends to the end of the PDU.
    package protocol HandleAndValue: Parameters {
        var handle: AttributeHandle { get }
        var value: ArraySlice<UInt8> { get }

        init(handle: AttributeHandle, value: ArraySlice<UInt8>)
    }

    /// A handle, an offset, and the part of the value that starts at the offset. The part extends
    /// to the end of the PDU.
    package protocol PartOfValue: Parameters {
        var handle: AttributeHandle { get }
        var offset: UInt16 { get }
        var value: ArraySlice<UInt8> { get }

        init(handle: AttributeHandle, offset: UInt16, value: ArraySlice<UInt8>)
    }

    /// Parameters that consist only of a value, up to the end of the PDU.
    package protocol ValueAlone: Parameters {
        var value: ArraySlice<UInt8> { get }

        init(value: ArraySlice<UInt8>)
    }

    /// A range of handles, and the type of the attributes to find or read in this range.
    package protocol RangeAndType: Parameters {
        var start: AttributeHandle { get }
        var end: AttributeHandle { get }
        var type: BluetoothUUID { get }

        init(start: AttributeHandle, end: AttributeHandle, type: BluetoothUUID)
    }

    /// Two or more handles.
    package protocol SeveralHandles: Parameters {
        var handles: [AttributeHandle] { get }

        /// Creates a request for two or more handles.
        init(handles: [AttributeHandle])
    }
}

extension ATT.HandleAndValue {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        let handle = try reader.readAttributeHandle()
        self.init(handle: handle, value: reader.readRemaining())
    }

    package func encode(into writer: inout ByteWriter) {
        writer.write(handle)
        writer.write(contentsOf: value)
    }

    package var encodedLength: Int { 2 + value.count }
}

extension ATT.PartOfValue {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        let handle = try reader.readAttributeHandle()
        let offset = try reader.readUInt16()
        self.init(handle: handle, offset: offset, value: reader.readRemaining())
    }

    package func encode(into writer: inout ByteWriter) {
        writer.write(handle)
        writer.write(offset)
        writer.write(contentsOf: value)
    }

    package var encodedLength: Int { 4 + value.count }
}

extension ATT.ValueAlone {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        self.init(value: reader.readRemaining())
    }

    package func encode(into writer: inout ByteWriter) {
        writer.write(contentsOf: value)
    }

    package var encodedLength: Int { value.count }
}

extension ATT.RangeAndType {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        let start = try reader.readAttributeHandle()
        let end = try reader.readAttributeHandle()
        self.init(start: start, end: end, type: try reader.readATTUUID())
    }

    package func encode(into writer: inout ByteWriter) {
        writer.write(start)
        writer.write(end)
        writer.write(contentsOf: type.attBytes)
    }

    package var encodedLength: Int { type.short16 == nil ? 20 : 6 }
}

extension ATT.SeveralHandles {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        guard reader.remaining >= 4 else {
            throw .truncated(needed: 4, available: reader.remaining)
        }
        var handles: [AttributeHandle] = []
        handles.reserveCapacity(reader.remaining / 2)
        while !reader.isAtEnd { handles.append(try reader.readAttributeHandle()) }
        self.init(handles: handles)
    }

    package func encode(into writer: inout ByteWriter) {
        for handle in handles { writer.write(handle) }
    }

    package var encodedLength: Int { 2 * handles.count }
}

extension ByteReader {
    /// Reads all remaining bytes as a UUID of 16 or 128 bits. ATT allows no other length (Vol 3,
    /// Part F, 3.2.1).
    fileprivate mutating func readATTUUID() throws(MalformedBytes) -> BluetoothUUID {
        guard remaining >= 2 else { throw .truncated(needed: 2, available: remaining) }
        guard remaining == 2 || remaining == 16,
            let uuid = BluetoothUUID(littleEndian: readRemaining())
        else { throw .invalid(field: "UUID") }
        return uuid
    }
}
