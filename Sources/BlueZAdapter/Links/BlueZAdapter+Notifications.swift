// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import DBus
import HCITransports

// Notifications. They arrive through a socket of this program alone (AcquireNotify), so that none is
// lost or repeated. Where the daemon gives no socket, they arrive as changes of a property (StartNotify),
// and a value that a program reads looks like a notification.
//
// The daemon signals each notification once for each program that called StartNotify, and all of them
// receive all signals. A second call would therefore repeat every value, also for the other program.
// While another program is subscribed in this way, this program only listens.
extension BlueZAdapter {
    func subscribe(to handle: AttributeHandle, _ step: Step) {
        guard let (path, interface) = object(at: handle, step) else { return }
        guard links[step.link]?.subscriptions[path] == nil else {
            return finish(step, .success(.done))
        }
        links[step.link]?.subscriptions[path] = .starting([])
        let message = BlueZ.call(path, interface, "AcquireNotify", [.properties([:])])
        call(message, timeout: Self.operationTimeout) { adapter, result in
            switch result {
            case .success(let reply): adapter.acquired(reply, path, handle, step)
            case .failure(let error): adapter.acquiringRefused(error, path, handle, step)
            }
        }
    }

    private func acquired(
        _ reply: DBusConnection.Reply,
        _ path: DBusObjectPath,
        _ handle: AttributeHandle,
        _ step: Step
    ) {
        guard links[step.link] != nil else { return }
        guard let descriptor = reply.descriptor(reply.values.first) else {
            links[step.link]?.subscriptions[path] = nil
            return finish(step, .failure(PortError.unanswered))
        }
        let link = step.link
        // Values that are in the socket already are delivered after the completion.
        let socket = PacketSocket(
            descriptor,
            executor: thread,
            receive: { [weak self] value in
                self?.onThread { $0.report(.notified(link, handle, value)) }
            },
            ended: { [weak self] in self?.onThread { $0.links[link]?.subscriptions[path] = nil } }
        )
        links[link]?.subscriptions[path] = .acquired(socket)
        if let mtu = reply.values.last?.integer { noteMTU(mtu, of: link) }
        finish(step, .success(.done))
    }

    private func acquiringRefused(
        _ error: DBusError,
        _ path: DBusObjectPath,
        _ handle: AttributeHandle,
        _ step: Step
    ) {
        guard links[step.link] != nil else { return }
        let failure = DaemonError.attribute(error, at: handle)
        // Another program is subscribed, or the daemon has no socket for this value.
        guard case .failed = error, !DaemonError.requiresPairing(failure) else {
            links[step.link]?.subscriptions[path] = nil
            return refused(step, failure)
        }
        guard !isNotifying(path) else { return started(.shared(step), path, handle, step) }
        let message = BlueZ.call(path, BlueZ.Interface.gattCharacteristic, "StartNotify")
        call(message, timeout: Self.operationTimeout) { adapter, result in
            switch result {
            case .success: adapter.started(.signaled, path, handle, step)
            case .failure(let error):
                guard adapter.links[step.link] != nil else { return }
                adapter.links[step.link]?.subscriptions[path] = nil
                adapter.refused(step, DaemonError.attribute(error, at: handle))
            }
        }
    }

    /// Returns whether the daemon signals the notifications of an object.
    private func isNotifying(_ path: DBusObjectPath) -> Bool {
        let properties = objects.properties(path, BlueZ.Interface.gattCharacteristic)
        // The values that arrive in a socket of another program are not signaled.
        return properties?["Notifying"]?.boolean == true
            && properties?["NotifyAcquired"]?.boolean != true
    }

    /// Completes a subscription whose values are signals.
    private func started(
        _ subscription: DaemonLink.Subscription,
        _ path: DBusObjectPath,
        _ handle: AttributeHandle,
        _ step: Step
    ) {
        guard case .starting(let early)? = links[step.link]?.subscriptions[path] else { return }
        links[step.link]?.subscriptions[path] = subscription
        finish(step, .success(.done))
        // The peer may send values before the daemon answers.
        for value in early { report(.notified(step.link, handle, value[...])) }
    }

    /// Handles a change of the property `Notifying`. When the other programs have ended their
    /// subscriptions, the daemon has unsubscribed, and this program subscribes itself.
    func notifyingChanged(at path: DBusObjectPath) {
        guard !isNotifying(path) else { return }
        for (link, state) in links {
            guard case .shared(let step)? = state.subscriptions[path] else { continue }
            links[link]?.subscriptions[path] = nil
            // The request has ended long ago, so its result is dropped.
            perform(step)
        }
    }

    /// Handles a change of the property `Value`.
    func valueChanged(at path: DBusObjectPath) {
        let interface = BlueZ.Interface.gattCharacteristic
        guard let value = objects.properties(path, interface)?["Value"]?.bytes else { return }
        for (link, state) in links {
            switch state.subscriptions[path] {
            case .starting(let early):
                links[link]?.subscriptions[path] = .starting(
                    early.suffix(DaemonLink.earlyValueLimit - 1) + [value]
                )
            case .signaled, .shared:
                guard let handle = state.table?.valueHandle(of: path) else { continue }
                report(.notified(link, handle, value[...]))
            case .acquired, nil: break
            }
        }
    }

    func unsubscribe(from handle: AttributeHandle, _ step: Step) {
        guard let (path, _) = object(at: handle, step) else { return }
        let subscription = links[step.link]?.subscriptions.removeValue(forKey: path)
        switch subscription {
        case .acquired(let socket):
            // The daemon unsubscribes when the socket is closed.
            socket.close()
            finish(step, .success(.done))
        case .signaled:
            let message = BlueZ.call(path, BlueZ.Interface.gattCharacteristic, "StopNotify")
            call(message, timeout: Self.operationTimeout) { adapter, result in
                switch result {
                case .success: adapter.finish(step, .success(.done))
                case .failure(let error):
                    adapter.finish(step, .failure(DaemonError.attribute(error, at: handle)))
                }
            }
        case .starting, .shared, nil: finish(step, .success(.done))
        }
    }

    /// Ends the subscriptions of a link that stays connected for another program.
    func endSubscriptions(of link: LinkIdentifier) {
        for (path, subscription) in links[link]?.subscriptions ?? [:] {
            guard case .signaled = subscription else { continue }
            send(BlueZ.call(path, BlueZ.Interface.gattCharacteristic, "StopNotify"))
        }
    }
}
