// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothTypes

// What is in it: the requests about single values.
extension AttributeServer {
    /// The value as this client sees it.
    func value(of attribute: AttributeTable.Attribute) -> [UInt8] {
        guard case .configuration(let handle, _) = attribute.role else { return attribute.value }
        return configuration(of: handle).bytes
    }

    private func readableValue(at handle: AttributeHandle) throws(Refusal) -> [UInt8] {
        guard let attribute = table[handle] else {
            throw Refusal(code: .invalidHandle, handle: handle)
        }
        guard attribute.isReadable else {
            throw Refusal(code: .readNotPermitted, handle: handle)
        }
        return value(of: attribute)
    }

    /// The most octets of value that a response has beside its opcode.
    private var room: Int { client.mtu - 1 }

    func read(_ request: ATT.ReadRequest) throws(Refusal) -> [UInt8] {
        ATT.ReadResponse(value: try readableValue(at: request.handle).prefix(room)).encode()
    }

    /// Short values can be read in this way too: a server may allow it (Vol 3, Part F, 3.4.4.5).
    func read(_ request: ATT.ReadBlobRequest) throws(Refusal) -> [UInt8] {
        let value = try readableValue(at: request.handle)
        guard request.offset <= value.count else {
            throw Refusal(code: .invalidOffset, handle: request.handle)
        }
        return ATT.ReadBlobResponse(value: value.dropFirst(Int(request.offset)).prefix(room))
            .encode()
    }

    func read(_ request: ATT.ReadMultipleRequest) throws(Refusal) -> [UInt8] {
        var values: [UInt8] = []
        for handle in request.handles { values += try readableValue(at: handle) }
        return ATT.ReadMultipleResponse(values: values.prefix(room)).encode()
    }

    /// What does not fit is cut off, wherever that is (Vol 3, Part F, 3.4.4.12).
    func read(_ request: ATT.ReadMultipleVariableRequest) throws(Refusal) -> [UInt8] {
        var entries: [ATT.ReadMultipleVariableResponse.Entry] = []
        for handle in request.handles {
            entries.append(.init(value: try readableValue(at: handle)[...]))
        }
        return Array(
            ATT.ReadMultipleVariableResponse(entries: entries).encode().prefix(client.mtu)
        )
    }
}

extension AttributeTable.Attribute {
    /// Declarations and descriptors can be read, values if their properties say so.
    var isReadable: Bool {
        guard case .value(let characteristic) = role else { return true }
        return characteristic.properties.contains(.read)
    }
}
