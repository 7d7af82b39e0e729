// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An accessory: its state, and everything that an app can request of it.
///
/// The central reconnects the accessory after a loss of the link. The object stays the same for as
/// long as the app holds it, and keeps its central running.
///
/// All members can be called on any thread and from any task. A waiting call ends when its task is
/// canceled.
public final class Accessory: Sendable, Identifiable {
    /// The permanent identity of an accessory, valid in this installation of the app.
    public typealias ID = AccessoryIdentity

    /// The identity of the accessory. It stays the same until the accessory is forgotten, even if
    /// the device changes its address.
    public let id: ID
    /// The description with which the accessory was paired or remembered.
    public let description: AccessoryDescription

    let lifetime: CentralLifetime
    let snapshot: AccessorySnapshot
    var driver: CentralDriver { lifetime.driver }

    init(_ id: ID, _ snapshot: AccessorySnapshot, of lifetime: CentralLifetime) {
        self.id = id
        description = snapshot.description
        self.snapshot = snapshot
        self.lifetime = lifetime
    }

    /// The name that a person gave the accessory (``rename(to:)``). Without such a name, it is
    /// ``deviceName``.
    public var name: String? { snapshot.name }

    /// The name of the device, or `nil` as long as it is unknown.
    public var deviceName: String? { snapshot.deviceName }

    /// Gives the accessory a name, which ``name`` returns at once. The store keeps it until the
    /// accessory is forgotten. The device and the system's settings do not get this name.
    ///
    /// ```swift
    /// accessory.rename(to: "Bedroom")
    /// ```
    ///
    /// - Parameter name: The name, without the white space at its ends. An empty name or `nil`
    ///   restores ``deviceName``.
    public func rename(to name: String?) {
        driver.rename(snapshot, to: name)
    }

    /// The additional data that the app has stored with the accessory (``setNote(_:for:)``).
    public var notes: [String: String] { snapshot.notes }

    /// Stores a text with the accessory. ``notes`` contains it at once, and the store keeps it until
    /// the accessory is forgotten. The device does not get it.
    ///
    /// ```swift
    /// accessory.setNote("cellar", for: "room")
    /// ```
    ///
    /// - Parameters:
    ///   - note: The text. `nil` removes the note.
    ///   - key: The name of the note, which the app chooses.
    public func setNote(_ note: String?, for key: String) {
        driver.setNote(snapshot, note, for: key)
    }

    // MARK: State

    /// The current state of the accessory.
    public var state: AccessoryState { snapshot.change.state }

    /// The current state and the reason for it.
    public var latestChange: AccessoryChange { snapshot.change }

    /// All changes of the state, beginning with the current one.
    ///
    /// ```swift
    /// for await change in accessory.changes {
    ///     label.text = "\(change.state)"
    /// }
    /// ```
    ///
    /// A loop that is slower than the changes loses the oldest ones; ``Events/droppedCount`` and
    /// the numbers of the changes show that. The sequence ends when the accessory is forgotten or
    /// its central ends.
    public var changes: Events<AccessoryChange> { snapshot.events().keeping(lifetime) }

    /// Calls a closure with the current state and then with every change, in order, on the
    /// central's queue.
    ///
    /// ```swift
    /// observation = accessory.onChange { change in print(change) }
    /// ```
    ///
    /// After the accessory was forgotten or its central has ended, the closure gets only the last
    /// state.
    ///
    /// - Parameter body: The closure that receives the changes.
    /// - Returns: A token. The observation ends when the token is canceled or released.
    public func onChange(
        _ body: @escaping @Sendable (AccessoryChange) -> Void
    ) -> ObservationToken {
        let observation = observe(body)
        return ObservationToken { [lifetime] in
            withExtendedLifetime(lifetime) { observation.cancel() }
        }
    }

    /// The object that all `Accessory` objects of the accessory share. It does not keep the central
    /// running.
    package var record: any AnyObject & Sendable { snapshot }

    /// Calls a closure as ``onChange(_:)`` does. The token does not keep the central running.
    package func observe(
        _ body: @escaping @Sendable (AccessoryChange) -> Void
    ) -> ObservationToken {
        driver.observe(snapshot, body)
    }

    /// Waits until the accessory is ready; returns at once if it is. If the system no longer knows
    /// the accessory, but its description can identify it, the call first requests a search.
    ///
    /// - Throws: The condition that keeps the accessory from becoming ready without help:
    ///   ``AccessoryError/unauthorized``, ``AccessoryError/unsupported``,
    ///   ``AccessoryError/notPaired``, or ``AccessoryError/abandoned(_:)`` if it is idle, for
    ///   example because it was forgotten. Also ``AccessoryError/shutDown`` if the central has
    ///   ended or the accessory was forgotten without Bluetooth, and
    ///   ``AccessoryError/cancelled``.
    public func untilReady() async throws(AccessoryError) {
        try await driver.untilReady(snapshot)
    }

    // MARK: Looking back

    /// The results of the latest attempts to make the accessory ready, oldest first.
    public var attempts: [AttemptRecord] { snapshot.attempts }

    /// Explains why the accessory is not connected: its state, the reason, the remedy, when it was
    /// last seen, and how the latest attempts ended. The text is meant for people.
    ///
    /// ```swift
    /// print(try await accessory.diagnosis())
    /// ```
    ///
    /// - Returns: The explanation at this moment.
    /// - Throws: ``AccessoryError/shutDown`` if the accessory was forgotten or its central has
    ///   ended; ``AccessoryError/cancelled``.
    public func diagnosis() async throws(AccessoryError) -> ConnectionDiagnosis {
        try await driver.diagnosis(of: snapshot)
    }

    // MARK: Connection

    /// Requests a connection that lasts until `disconnect()`. A paired accessory needs this request
    /// only if it is idle, for example after `disconnect()`. Returns at once; see ``untilReady()``.
    public func connect() {
        driver.connect(snapshot)
    }

    /// Ends the link and withdraws the connection request. The accessory stays known, and
    /// ``connect()`` connects it again. Returns when the link has ended.
    ///
    /// - Throws: ``AccessoryError/shutDown`` if the central has ended before the call;
    ///   ``AccessoryError/cancelled`` if the task is canceled; the link then ends nevertheless.
    public func disconnect() async throws(AccessoryError) {
        try await driver.disconnect(snapshot)
    }

    /// Tests again whether the accessory reveals its protected values. If the accessory refuses,
    /// the system pairs, and may ask a person. Call this method in the state `connected`. In the
    /// state `ready`, it does nothing. The call returns when the accessory is ready, and throws if
    /// the accessory refuses.
    ///
    /// - Throws: The errors of ``untilReady()``: ``AccessoryError/notPaired`` if the accessory has
    ///   refused.
    public func pairIfNeeded() async throws(AccessoryError) {
        try await driver.pairIfNeeded(snapshot)
    }
}
