// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTServer {
    /// The maximum number of prepared writes of a client on all its bearers. It suffices for eight
    /// values of maximum length at the minimum MTU, with 29 parts each.
    package static let preparedWriteLimit = 256

    /// The maximum number of bytes in the prepared writes of a client on all its bearers.
    package static let preparedByteLimit = 8 * GATT.valueLengthLimit

    /// Stores a part of a value until it is executed, and returns it for comparison by the client.
    ///
    /// Permissions are checked now, and the length of the value is checked when the writes are
    /// executed (Vol 3, Part F, 3.4.6.1 and 3.4.6.2).
    mutating func prepare(_ request: ATT.PrepareWriteRequest, on bearer: BearerID) -> ATT.PDU {
        do throws(RequestRefusal) {
            let attribute = try writable(request.handle, .write, by: bearer.client)
            guard hasRoom(for: request.value.count, of: bearer.client) else {
                throw RequestRefusal(.prepareQueueFull, request.handle)
            }
            let entry = GATT.WriteEntry(
                handle: request.handle,
                offset: Int(request.offset),
                value: Array(request.value)
            )
            let part = PreparedWrites.Part(entry: entry, type: attribute.type)
            prepared[bearer.client, default: .init()].append(part)
            return .prepareWriteResponse(
                .init(handle: request.handle, offset: request.offset, value: request.value)
            )
        } catch {
            return error.response(to: ATT.PrepareWriteRequest.opcode)
        }
    }

    /// Executes or cancels all prepared writes of the client, regardless of the bearers on which
    /// they arrived. The queue is empty afterward, whether the writes succeed or fail. If an
    /// attribute was removed meanwhile, nothing is written (Vol 3, Part F, 3.4.6.3).
    mutating func execute(
        _ request: ATT.ExecuteWriteRequest,
        on bearer: BearerID,
        now: Instant
    ) -> [Action] {
        let writes = prepared.removeValue(forKey: bearer.client)
        guard request.flags == .writeAll, let writes else {
            return [.respond(bearer, .executeWriteResponse)]
        }
        let opcode = ATT.ExecuteWriteRequest.opcode
        let gone = writes.parts.first { database.attribute($0.entry.handle)?.type != $0.type }
        if let gone {
            let refusal = RequestRefusal(.databaseOutOfSync, gone.entry.handle)
            if clients[bearer.client]?.isOutOfSync == true {
                _ = clients[bearer.client]?.awareness.refuse(on: bearer.channel)
            }
            return [.respond(bearer, refusal.response(to: opcode))]
        }
        return write(writes.entries, for: opcode, on: bearer, now: now)
    }

    private func hasRoom(for bytes: Int, of client: ClientID) -> Bool {
        guard let queue = prepared[client] else { return bytes <= Self.preparedByteLimit }
        return queue.parts.count < Self.preparedWriteLimit
            && queue.bytes + bytes <= Self.preparedByteLimit
    }
}
