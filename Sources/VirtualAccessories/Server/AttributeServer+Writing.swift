// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothGATT
import BluetoothTypes

// Writes: at once, unanswered, or prepared and then executed together.
extension AttributeServer {
    /// How many prepared writes a client may have: enough for the longest value in the smallest
    /// parts, which are of 18 octets.
    static let preparedWriteLimit = 32

    mutating func write(_ request: ATT.WriteRequest) throws(Refusal) -> [Result] {
        let attribute = try writable(at: request.handle, by: .write)
        return [.respond(ATT.PDU.writeResponse.encode())]
            + (try write(Array(request.value), to: attribute))
    }

    /// Nobody is told whether it worked (Vol 3, Part F, 3.4.5.3).
    mutating func write(_ command: ATT.WriteCommand) -> [Result] {
        do throws(Refusal) {
            let attribute = try writable(at: command.handle, by: .writeWithoutResponse)
            return try write(Array(command.value), to: attribute)
        } catch {
            return []
        }
    }

    /// Keeps the part, if the attribute can be written at all (Vol 3, Part F, 3.4.6.1).
    mutating func prepare(_ request: ATT.PrepareWriteRequest) throws(Refusal) -> [UInt8] {
        _ = try writable(at: request.handle, by: .write)
        guard client.prepared.count < Self.preparedWriteLimit else {
            throw Refusal(code: .prepareQueueFull, handle: request.handle)
        }
        client.prepared.append(request)
        return ATT.PrepareWriteResponse(
            handle: request.handle,
            offset: request.offset,
            value: request.value
        ).encode()
    }

    /// Writes all that is prepared, in order, or nothing (Vol 3, Part F, 3.4.6.3).
    mutating func execute(_ request: ATT.ExecuteWriteRequest) throws(Refusal) -> [Result] {
        let prepared = client.prepared
        client.prepared = []
        var results: [Result] = [.respond(ATT.PDU.executeWriteResponse.encode())]
        guard request.flags == .writeAll else { return results }
        let before = (values, client)
        do throws(Refusal) {
            for (handle, value) in try assemble(prepared) {
                results += try write(value, to: try writable(at: handle, by: .write))
            }
        } catch {
            (values, client) = before
            throw error
        }
        return results
    }

    /// The values that the parts make, in the order in which they were begun. A part ends its
    /// value: what was there beyond it is cut off.
    private func assemble(
        _ parts: [ATT.PrepareWriteRequest]
    ) throws(Refusal) -> [(AttributeHandle, [UInt8])] {
        var whole: [(handle: AttributeHandle, value: [UInt8])] = []
        for part in parts {
            let index = whole.firstIndex { $0.handle == part.handle }
            let present = index.map { whole[$0].value } ?? table[part.handle].map(value(of:)) ?? []
            guard part.offset <= present.count else {
                throw Refusal(code: .invalidOffset, handle: part.handle)
            }
            let value = Array(present.prefix(Int(part.offset)) + part.value)
            guard value.count <= ATT.valueLengthLimit else {
                throw Refusal(code: .invalidAttributeValueLength, handle: part.handle)
            }
            if let index { whole[index].value = value } else { whole.append((part.handle, value)) }
        }
        return whole.map { ($0.handle, $0.value) }
    }

    private func writable(
        at handle: AttributeHandle,
        by property: GATT.CharacteristicProperties
    ) throws(Refusal) -> AttributeTable.Attribute {
        guard let attribute = table[handle] else {
            throw Refusal(code: .invalidHandle, handle: handle)
        }
        switch attribute.role {
        case .value(let characteristic) where characteristic.properties.contains(property): break
        case .configuration: break
        default: throw Refusal(code: .writeNotPermitted, handle: handle)
        }
        return attribute
    }

    private mutating func write(
        _ value: [UInt8],
        to attribute: AttributeTable.Attribute
    ) throws(Refusal) -> [Result] {
        guard value.count <= ATT.valueLengthLimit else {
            throw Refusal(code: .invalidAttributeValueLength, handle: attribute.handle)
        }
        switch attribute.role {
        case .configuration(let valueHandle, let allowed):
            return try configure(valueHandle, allowed, value, at: attribute.handle)
        case .value(let characteristic):
            guard let reaction = characteristic.reaction else {
                values.table.set(value, at: attribute.handle)
                return []
            }
            switch reaction.judge(value, &values) {
            case .accepted(let deeds): return deeds.map(Result.act)
            case .refused(let code): throw Refusal(code: code, handle: attribute.handle)
            }
        case .fixed, .service: return []
        }
    }

    private mutating func configure(
        _ valueHandle: AttributeHandle,
        _ allowed: ClientConfiguration,
        _ value: [UInt8],
        at handle: AttributeHandle
    ) throws(Refusal) -> [Result] {
        guard value.count == 2 else {
            throw Refusal(code: .invalidAttributeValueLength, handle: handle)
        }
        let wanted = ClientConfiguration(rawValue: UInt16(value[0]) | UInt16(value[1]) << 8)
        guard allowed.isSuperset(of: wanted) else {
            throw Refusal(code: .valueNotAllowed, handle: handle)
        }
        client.configurations[valueHandle] = wanted
        return [.subscriptionChanged(valueHandle, wanted)]
    }
}
