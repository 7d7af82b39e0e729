// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import DBus
import HCITransports

// Writes without a response. They go through a socket (AcquireWrite), which is much faster than a
// call for each write. The socket also gives flow control: it accepts no packets while the daemon
// does not read.
extension BlueZAdapter {
    func send(_ value: [UInt8], to handle: AttributeHandle, _ step: Step) {
        guard let (path, _) = object(at: handle, step) else { return }
        // The daemon takes a packet without content for the end of the socket.
        guard !value.isEmpty else { return sendByCall(value, to: path, handle, step) }
        switch links[step.link]?.writers[path] {
        case .acquired(let socket, let limit):
            guard value.count <= limit else {
                return finish(step, .failure(GATT.Failure.valueTooLong(limit: limit)))
            }
            socket.send(value) { [weak self] isSent in
                self?.onThread { $0.sent(isSent, step) }
            }
        case .acquiring(let waiting):
            let entry = (request: step.id, handle: handle, value: value)
            links[step.link]?.writers[path] = .acquiring(waiting + [entry])
        case .calls: sendByCall(value, to: path, handle, step)
        case nil:
            let entry = (request: step.id, handle: handle, value: value)
            links[step.link]?.writers[path] = .acquiring([entry])
            acquireWriter(path, on: step.link)
        }
    }

    private func sent(_ isSent: Bool, _ step: Step) {
        finish(
            step,
            isSent ? .success(.done) : .failure(PortError.other("the daemon closed the socket"))
        )
    }

    private func acquireWriter(_ path: DBusObjectPath, on link: LinkIdentifier) {
        let interface = BlueZ.Interface.gattCharacteristic
        let message = BlueZ.call(path, interface, "AcquireWrite", [.properties([:])])
        call(message) { adapter, result in
            guard case .acquiring(let waiting)? = adapter.links[link]?.writers[path] else { return }
            // The writer is created before the assignment, because its creation also changes the
            // link.
            let writer = adapter.writer(result, path, link)
            adapter.links[link]?.writers[path] = writer
            for (request, handle, value) in waiting {
                let operation = GATT.Operation.writeWithoutResponse(handle, value)
                let step = Step(operation: operation, id: request, link: link)
                adapter.send(value, to: handle, step)
            }
        }
    }

    private func writer(
        _ result: Result<DBusConnection.Reply, DBusError>,
        _ path: DBusObjectPath,
        _ link: LinkIdentifier
    ) -> DaemonLink.Writer {
        guard let reply = try? result.get(), let mtu = reply.values.last?.integer,
            let descriptor = reply.descriptor(reply.values.first)
        else { return .calls }
        noteMTU(mtu, of: link)
        let socket = PacketSocket(
            descriptor,
            executor: thread,
            receive: { _ in },
            ended: { [weak self] in self?.onThread { $0.links[link]?.writers[path] = nil } }
        )
        // A command carries three bytes fewer than the MTU (Vol 3, Part F, 3.4.5.3).
        return .acquired(socket, limit: max(mtu, 23) - 3)
    }

    private func sendByCall(
        _ value: [UInt8],
        to path: DBusObjectPath,
        _ handle: AttributeHandle,
        _ step: Step
    ) {
        let options: [String: DBusValue] = ["type": .string("command")]
        let message = BlueZ.call(
            path,
            BlueZ.Interface.gattCharacteristic,
            "WriteValue",
            [.bytes(value), .properties(options)]
        )
        call(message, timeout: Self.operationTimeout) { adapter, result in
            switch result {
            case .success: adapter.finish(step, .success(.done))
            case .failure(let error):
                adapter.finish(step, .failure(DaemonError.attribute(error, at: handle)))
            }
        }
    }

    /// Reports the MTU of a link if it has changed.
    func noteMTU(_ mtu: Int, of link: LinkIdentifier) {
        guard let known = links[link]?.mtu, known != mtu, (23...517).contains(mtu) else { return }
        links[link]?.mtu = mtu
        report(.mtuChanged(link, mtu))
    }
}
