// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import DBus
import HCITransports

// Notifications. They arrive through a socket of this program alone (AcquireNotify), so that none
// is repeated, and none is lost unless the socket is full. If the daemon gives no socket, they
// arrive as changes of a property (StartNotify), and a value that any program reads looks like a
// notification.
//
// The daemon signals each notification once for each program that called StartNotify, and all of
// them receive all signals. A second call would therefore repeat every value, even for the other
// program. While another program is subscribed in this way, this program makes no call and receives
// the same signals.
extension BlueZAdapter {
    func subscribe(to handle: AttributeHandle, _ step: Step) {
        guard let (path, interface) = object(at: handle, step) else {
            return forgetSubscription(by: step)
        }
        switch links[step.link]?.subscriptions[path] {
        case nil:
            links[step.link]?.subscriptions[path] = .starting(.init(request: step.id))
        // The request is repeated after a pairing.
        case .starting(let starting)? where starting.request == step.id: break
        case .starting?, .ending?: return wait(step, at: path)
        case .acquired?, .signaled?, .shared?: return finish(step, .success(.done))
        }
        let message = BlueZ.call(path, interface, "AcquireNotify", [.properties([:])])
        call(message, timeout: Self.operationTimeout) { adapter, result in
            switch result {
            case .success(let reply): adapter.acquired(reply, path, handle, step)
            case .failure(let error): adapter.acquiringRefused(error, path, handle, step)
            }
        }
    }

    /// Queues a request until the pending request to subscribe to or unsubscribe from the same
    /// value has ended. Otherwise, the daemon could receive the second request before it has
    /// completed the first.
    private func wait(_ step: Step, at path: DBusObjectPath) {
        switch links[step.link]?.subscriptions[path] {
        case .starting(var starting)?:
            starting.waiting.append(step)
            links[step.link]?.subscriptions[path] = .starting(starting)
        case .ending(let waiting)?:
            links[step.link]?.subscriptions[path] = .ending(waiting: waiting + [step])
        case .acquired?, .signaled?, .shared?, nil: break
        }
    }

    /// Ends a request, stores the resulting subscription, and performs the requests that wait.
    private func settle(
        _ path: DBusObjectPath,
        as subscription: DaemonLink.Subscription?,
        _ step: Step,
        _ result: Result<GATT.Outcome, any Error>
    ) {
        let old = links[step.link]?.subscriptions[path]
        links[step.link]?.subscriptions[path] = subscription
        finish(step, result)
        switch (old, subscription) {
        // The peer may send values before the daemon answers.
        case (.starting(let starting)?, .signaled?), (.starting(let starting)?, .shared?):
            guard let handle = links[step.link]?.table?.valueHandle(of: path) else { break }
            for value in starting.early { report(.notified(step.link, handle, value[...])) }
        default: break
        }
        perform(old?.waiting ?? [])
    }

    private func perform(_ steps: [Step]) {
        for step in steps { perform(step) }
    }

    /// Returns whether the subscription still waits for the daemon's answer to this request. It
    /// does not if the link or the object no longer exists.
    private func isStarting(_ step: Step, at path: DBusObjectPath) -> Bool {
        guard case .starting(let starting)? = links[step.link]?.subscriptions[path] else {
            return false
        }
        return starting.request == step.id
    }

    private func acquired(
        _ reply: DBusConnection.Reply,
        _ path: DBusObjectPath,
        _ handle: AttributeHandle,
        _ step: Step
    ) {
        guard isStarting(step, at: path) else { return finish(step, Self.outdated(handle)) }
        guard let descriptor = reply.descriptor(reply.values.first) else {
            return settle(path, as: nil, step, .failure(PortError.unanswered))
        }
        let link = step.link
        // Values that are in the socket already are delivered after the completion.
        let socket = PacketSocket(
            descriptor,
            executor: thread,
            receive: { [weak self] value in
                self?.onThread { $0.report(.notified(link, handle, value)) }
            },
            ended: { [weak self] in self?.onThread { $0.socketEnded(path, on: link) } }
        )
        if let mtu = reply.values.last?.integer { noteMTU(mtu, of: link) }
        settle(path, as: .acquired(socket), step, .success(.done))
    }

    private func socketEnded(_ path: DBusObjectPath, on link: LinkIdentifier) {
        guard case .acquired? = links[link]?.subscriptions[path] else { return }
        links[link]?.subscriptions[path] = nil
    }

    private static func outdated(_ handle: AttributeHandle) -> Result<GATT.Outcome, any Error> {
        .failure(GATT.Failure.attribute(.databaseOutOfSync, handle: handle))
    }

    private func acquiringRefused(
        _ error: DBusError,
        _ path: DBusObjectPath,
        _ handle: AttributeHandle,
        _ step: Step
    ) {
        guard isStarting(step, at: path) else { return finish(step, Self.outdated(handle)) }
        let failure = DaemonError.attribute(error, at: handle)
        // If the refusal is not about security, another program is subscribed, or the daemon has no
        // socket for this value. The value can then still arrive as a signal.
        guard case .failed = error, !DaemonError.requiresPairing(failure) else {
            return startingRefused(failure, path, step)
        }
        guard !isNotifying(path) else {
            return settle(path, as: .shared(step), step, .success(.done))
        }
        let message = BlueZ.call(path, BlueZ.Interface.gattCharacteristic, "StartNotify")
        call(message, timeout: Self.operationTimeout) { adapter, result in
            guard adapter.isStarting(step, at: path) else {
                if case .success = result { adapter.stopNotifying(path) }
                return adapter.finish(step, Self.outdated(handle))
            }
            switch result {
            case .success: adapter.settle(path, as: .signaled, step, .success(.done))
            case .failure(let error):
                adapter.startingRefused(DaemonError.attribute(error, at: handle), path, step)
            }
        }
    }

    private func startingRefused(_ error: any Error, _ path: DBusObjectPath, _ step: Step) {
        refused(step, error) { $0.settle(path, as: nil, step, .failure(error)) }
    }

    private func stopNotifying(_ path: DBusObjectPath) {
        send(BlueZ.call(path, BlueZ.Interface.gattCharacteristic, "StopNotify"))
    }

    /// Returns whether the daemon signals the notifications of an object.
    private func isNotifying(_ path: DBusObjectPath) -> Bool {
        let properties = objects.properties(path, BlueZ.Interface.gattCharacteristic)
        // The values that arrive in a socket of another program are not signaled.
        return properties?["Notifying"]?.boolean == true
            && properties?["NotifyAcquired"]?.boolean != true
    }

    /// Handles a change of the property `Notifying`. When the other programs have ended their
    /// subscriptions, the daemon has unsubscribed, and this program subscribes instead.
    func notifyingChanged(at path: DBusObjectPath) {
        guard !isNotifying(path) else { return }
        for (link, state) in links {
            guard case .shared(let step)? = state.subscriptions[path] else { continue }
            links[link]?.subscriptions[path] = nil
            // The request has already ended, so its result is dropped.
            perform(step)
        }
    }

    /// Handles a change of the property `Value`.
    func valueChanged(at path: DBusObjectPath) {
        let interface = BlueZ.Interface.gattCharacteristic
        guard let value = objects.properties(path, interface)?["Value"]?.bytes else { return }
        for (link, state) in links {
            switch state.subscriptions[path] {
            case .starting(var starting):
                starting.early = starting.early.suffix(DaemonLink.earlyValueLimit - 1) + [value]
                links[link]?.subscriptions[path] = .starting(starting)
            case .signaled, .shared:
                guard let handle = state.table?.valueHandle(of: path) else { continue }
                report(.notified(link, handle, value[...]))
            case .acquired, .ending, nil: break
            }
        }
    }

    func unsubscribe(from handle: AttributeHandle, _ step: Step) {
        guard let (path, interface) = object(at: handle, step) else { return }
        let message: DBusMessage
        let socket: PacketSocket?
        switch links[step.link]?.subscriptions[path] {
        case .starting?, .ending?: return wait(step, at: path)
        case .acquired(let acquired)?:
            (message, socket) = (Self.answeredAfterEnd(ofSocketAt: path), acquired)
        case .signaled?: (message, socket) = (BlueZ.call(path, interface, "StopNotify"), nil)
        case .shared?, nil:
            links[step.link]?.subscriptions[path] = nil
            return finish(step, .success(.done))
        }
        links[step.link]?.subscriptions[path] = .ending(waiting: [])
        socket?.close()
        call(message, timeout: Self.operationTimeout) { adapter, result in
            switch result {
            case .success: adapter.settle(path, as: nil, step, .success(.done))
            // The daemon has answered, and the socket is closed.
            case .failure(.failed) where socket != nil:
                adapter.settle(path, as: nil, step, .success(.done))
            case .failure(let error):
                let failure = DaemonError.attribute(error, at: handle)
                adapter.settle(path, as: nil, step, .failure(failure))
            }
        }
    }

    /// Returns a call that the daemon answers after it has noticed the end of an object's socket.
    /// Before that, the daemon would refuse the next subscription. BlueZ handles the ends of
    /// sockets before calls (`queue_dispatch` in gdbus/mainloop.c). The call is not `StopNotify`,
    /// which ends the socket of any program: another program may have acquired a socket in the
    /// meantime.
    private static func answeredAfterEnd(ofSocketAt path: DBusObjectPath) -> DBusMessage {
        let interface = BlueZ.Interface.gattCharacteristic
        let property: [DBusValue] = [.string(interface), .string("NotifyAcquired")]
        return BlueZ.call(path, BlueZ.Interface.properties, "Get", property)
    }

    /// Ends the subscriptions that this program made with StartNotify. Otherwise, the daemon would
    /// keep them while the device stays connected for another program, and would repeat them at the
    /// next connection.
    func endSubscriptions(of link: LinkIdentifier) {
        for (path, subscription) in links[link]?.subscriptions ?? [:] {
            if case .signaled = subscription { stopNotifying(path) }
        }
    }

    /// Drops the subscription of a request that failed because the database changed while the
    /// device was being paired. The requests that wait for the subscription are performed.
    private func forgetSubscription(by step: Step) {
        for (path, subscription) in links[step.link]?.subscriptions ?? [:] {
            guard case .starting(let starting) = subscription, starting.request == step.id else {
                continue
            }
            links[step.link]?.subscriptions[path] = nil
            perform(starting.waiting)
        }
    }

    /// Drops the subscriptions to objects that the daemon has removed. The requests that wait for
    /// these subscriptions fail.
    func forgetSubscriptions(of link: LinkIdentifier) {
        let interface = BlueZ.Interface.gattCharacteristic
        for (path, subscription) in links[link]?.subscriptions ?? [:]
        where objects.properties(path, interface) == nil {
            links[link]?.subscriptions[path] = nil
            subscription.socket?.close()
            perform(subscription.waiting)
        }
    }
}
