// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One accessory: what it is doing, and all that can be asked of it.
///
/// A central has it, keeps it, and brings it back when it was lost: nothing has to be done for that.
/// It is the same object for as long as the application has it, and the central goes on as long as that.
///
/// Everything may be called on any thread and from any task; a wait ends at once when its task is
/// cancelled.
public final class Accessory: Sendable, Identifiable {
    /// What identifies an accessory, for ever: of this application's, and this installation's.
    public typealias ID = AccessoryIdentity

    /// Which one it is. It stays the same as long as the accessory is not forgotten, also when the device
    /// changes its address.
    public let id: ID
    /// What it was described as.
    public let description: AccessoryDescription

    let life: CentralLife
    let mirror: AccessoryMirror
    var driver: CentralDriver { life.driver }

    init(_ id: ID, _ mirror: AccessoryMirror, of life: CentralLife) {
        self.id = id
        description = mirror.description
        self.mirror = mirror
        self.life = life
    }

    /// What the device calls itself; nil as long as that is not known.
    public var name: String? { mirror.name }

    // MARK: State

    /// What it is doing.
    public var state: AccessoryState { mirror.change.state }

    /// What it is doing, and why.
    public var latestChange: AccessoryChange { mirror.change }

    /// Every change of its state, beginning with how it is now.
    ///
    /// ```swift
    /// for await change in accessory.changes {
    ///     label.text = "\(change.state)"
    /// }
    /// ```
    ///
    /// Who is slower than the changes loses the oldest ones, as `droppedCount` and the changes' numbers
    /// show. Ends when the accessory is forgotten, or its central gone.
    public var changes: Events<AccessoryChange> { mirror.events().keeping(life) }

    /// The same for those who like closures: it is called with how it is now, and with every change,
    /// in order, on a queue of the central's, until the observation is cancelled or let go of.
    ///
    /// ```swift
    /// observation = accessory.onChange { change in print(change) }
    /// ```
    public func onChange(
        _ body: @escaping @Sendable (AccessoryChange) -> Void
    ) -> ObservationToken {
        let observation = driver.observe(mirror, body)
        return ObservationToken { [life] in withExtendedLifetime(life) { observation.cancel() } }
    }

    /// Returns as soon as it is ready; at once if it is.
    ///
    /// - Throws: What keeps it from ever being so without somebody's doing: `unauthorized`,
    ///   `unsupported`, `notPaired`, `abandoned` where it is idle; `shutDown`; `cancelled`.
    public func untilReady() async throws(AccessoryError) {
        try await driver.untilReady(mirror)
    }

    // MARK: Looking back

    /// What became of the latest attempts to get it ready, the oldest first.
    public var attempts: [AttemptRecord] { mirror.attempts }

    /// An answer to *why is it not connected?*, for people: what it does, why, what can be done about it,
    /// when it was last seen, and how the latest attempts went.
    ///
    /// ```swift
    /// print(try await accessory.whereabouts())
    /// ```
    ///
    /// - Throws: `shutDown` if the accessory was forgotten, or its central is gone; `cancelled`.
    public func whereabouts() async throws(AccessoryError) -> Whereabouts {
        try await driver.whereabouts(of: mirror)
    }

    // MARK: Wishes

    /// Wishes it to be connected from now on: as it is when it was paired, until `disconnect()`. Returns at
    /// once: see `untilReady()`.
    public func connect() {
        driver.connect(mirror)
    }

    /// Ends the link, and the wish for one. It stays known: `connect()` brings it back. Returns when the
    /// link is gone.
    public func disconnect() async throws(AccessoryError) {
        try await driver.disconnect(mirror)
    }

    /// Tries again whether it gives what it keeps for those that it is paired with: where it does not, the
    /// system pairs, and may ask a person. For an accessory that is `connected`; nothing happens where it
    /// is ready. Waits until it is ready, or has refused (`notPaired`).
    public func pairIfNeeded() async throws(AccessoryError) {
        try await driver.pairIfNeeded(mirror)
    }
}
