// SPDX-License-Identifier: Apache-2.0

/// A writer of values in little-endian byte order, which every receiver must read ("Marshaling").
struct DBusWriter {
    private(set) var bytes: [UInt8] = []

    mutating func align(to alignment: Int) {
        while bytes.count % alignment != 0 { bytes.append(0) }
    }

    mutating func write(_ value: DBusValue) {
        switch value {
        case .byte(let value): bytes.append(value)
        case .boolean(let value): writeInteger(UInt32(value ? 1 : 0))
        case .int16(let value): writeInteger(value)
        case .uint16(let value): writeInteger(value)
        case .int32(let value): writeInteger(value)
        case .uint32(let value), .unixFD(let value): writeInteger(value)
        case .int64(let value): writeInteger(value)
        case .uint64(let value): writeInteger(value)
        case .double(let value): writeInteger(value.bitPattern)
        case .string(let value): writeText(value)
        case .objectPath(let value): writeText(value.description)
        case .signature(let value): write(value)
        case .bytes(let value):
            writeInteger(UInt32(truncatingIfNeeded: value.count))
            bytes += value
        case .array(let element, let elements):
            writeArray(alignment: element.alignment) { for item in elements { $0.write(item) } }
        case .structure(let members):
            align(to: 8)
            for member in members { write(member) }
        case .dictionary(_, _, let entries):
            writeArray(alignment: 8) {
                for entry in entries {
                    $0.align(to: 8)
                    $0.write(entry.key)
                    $0.write(entry.value)
                }
            }
        case .variant(let value):
            write(DBusSignature([value.type]))
            write(value)
        }
    }

    mutating func writeInteger(_ value: some FixedWidthInteger) {
        align(to: value.bitWidth / 8)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func writeText(_ text: String) {
        writeInteger(UInt32(truncatingIfNeeded: text.utf8.count))
        bytes += text.utf8
        bytes.append(0)
    }

    private mutating func write(_ signature: DBusSignature) {
        bytes.append(UInt8(truncatingIfNeeded: signature.description.utf8.count))
        bytes += signature.description.utf8
        bytes.append(0)
    }

    private mutating func writeArray(alignment: Int, _ body: (inout DBusWriter) -> Void) {
        writeInteger(UInt32(0))
        let lengthPosition = bytes.count - 4
        align(to: alignment)
        let start = bytes.count
        body(&self)
        let length = UInt32(truncatingIfNeeded: bytes.count - start)
        for byte in 0..<4 {
            bytes[lengthPosition + byte] = UInt8(truncatingIfNeeded: length >> UInt32(8 * byte))
        }
    }
}
