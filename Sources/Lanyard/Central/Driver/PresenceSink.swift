// SPDX-License-Identifier: Apache-2.0

/// The receiver of the events of a `PresenceWatch`, on its driver's queue.
protocol PresenceSink: AnyObject {
    /// Receives events. An empty list means that the accessories of the central may have changed,
    /// or that the subscription began.
    func receive(_ events: [PresenceEvent])
    /// Ends the app's sequence.
    func end()
}

/// A sink that passes presence events on to the app.
final class PresenceEventSink: PresenceSink {
    /// The app holds the mailbox.
    private weak var mailbox: Mailbox<PresenceEvent>?

    init(_ mailbox: Mailbox<PresenceEvent>) {
        self.mailbox = mailbox
    }

    func receive(_ events: [PresenceEvent]) {
        for event in events { mailbox?.put(event).deliver() }
    }

    func end() { mailbox?.end() }
}

/// A sink that turns presence events into lists for the app.
final class NearbyListSink: PresenceSink {
    /// The app holds the mailbox.
    private weak var mailbox: Mailbox<NearbyDevices>?
    private let known: () -> Set<AccessoryIdentity>
    private var list = NearbyList()
    private var latest: NearbyDevices?

    /// Creates a sink for a mailbox.
    ///
    /// - Parameter known: A closure that returns the identities of the accessories that the central
    ///   knows.
    init(_ mailbox: Mailbox<NearbyDevices>, known: @escaping () -> Set<AccessoryIdentity>) {
        self.mailbox = mailbox
        self.known = known
    }

    func receive(_ events: [PresenceEvent]) {
        for event in events { list.apply(event) }
        let devices = list.devices(known: known())
        guard devices != latest else { return }
        latest = devices
        mailbox?.put(devices).deliver()
    }

    func end() { mailbox?.end() }
}
