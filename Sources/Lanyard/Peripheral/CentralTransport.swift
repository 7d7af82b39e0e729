// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A transport of messages between this device and one central. The central sends its messages in
/// writes, and this device sends its messages in notifications.
///
/// Unchecked: all mutable state is used on the queue only, which is also the driver's queue.
final class CentralTransport: MessageTransport, @unchecked Sendable {
    /// A function that sends a value to the central. It returns `false` if there is no room, and
    /// `hasRoom` follows.
    typealias Notify = (Data) -> Bool

    let queue: DispatchQueue
    private let notify: Notify
    private var receiver: (@Sendable (MessageTransportEvent) -> Void)?
    /// The central while it is subscribed.
    private var listener: SystemSubscriber?
    private var awaitsRoom = false
    private(set) var isStopped = false

    init(on queue: DispatchQueue, notify: @escaping Notify) {
        self.queue = queue
        self.notify = notify
    }

    var isLinked: Bool { listener != nil }

    var maximumChunk: Int { listener?.maximumLength ?? 0 }

    func start(_ receiver: @escaping @Sendable (MessageTransportEvent) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        self.receiver = receiver
        if isLinked { receiver(.linked) }
    }

    func send(_ chunk: Data) -> Bool {
        dispatchPrecondition(condition: .onQueue(queue))
        guard isLinked, notify(chunk) else {
            awaitsRoom = true
            return false
        }
        return true
    }

    func stop() {
        receiver = nil
        isStopped = true
    }

    // MARK: Events of the driver

    func subscribed(_ central: SystemSubscriber) {
        listener = central
        receiver?(.linked)
    }

    func unsubscribed() {
        guard isLinked else { return }
        listener = nil
        receiver?(.unlinked(nil))
    }

    func received(_ chunk: Data) {
        receiver?(.received(chunk))
    }

    func hasRoom() {
        guard awaitsRoom else { return }
        awaitsRoom = false
        receiver?(.hasRoom)
    }

    func ended() {
        listener = nil
        receiver?(.ended(nil))
    }
}
