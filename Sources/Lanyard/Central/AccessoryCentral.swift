// SPDX-License-Identifier: Apache-2.0

/// An object that finds accessories, connects to them, and keeps them connected.
///
/// ```swift
/// let central = AccessoryCentral(for: [strap])
/// let accessory = try await central.accessory(strap)  // the stored strap, or a new one
/// try await accessory.untilReady()
/// for await value in try accessory.values(of: "2A37") { print(Array(value)) }
/// ```
///
/// At launch the central restores what the system preserved and what its store remembers, and
/// connects to those accessories. An app keeps one central for as long as it needs its accessories,
/// with the same name at every launch. The central keeps running as long as the app holds the
/// central or anything obtained from it: an accessory, a sequence of values, a channel. When the
/// app releases all of these, the central ends all links.
///
/// All members can be called on any thread and from any task.
public final class AccessoryCentral: Sendable {
    let lifetime: CentralLifetime
    var driver: CentralDriver { lifetime.driver }

    /// Creates a central for accessories of these kinds. The initializer only reads the store; the
    /// other work begins when Bluetooth is available.
    ///
    /// - Parameters:
    ///   - descriptions: The descriptions of the accessories that the central may remember or pair.
    ///     The initializer traps if two of them have the same kind.
    ///   - configuration: The name of the central, its store, its limits and its policy.
    public init(
        for descriptions: [AccessoryDescription],
        configuration: Configuration = Configuration()
    ) {
        lifetime = CentralLifetime(CentralDriver(descriptions, configuration))
        driver.begin()
        configuration.process?.add(lifetime)
    }

    /// Creates a central with a driver that takes over a manager.
    init(adopted driver: CentralDriver, in process: ApplicationProcess?) {
        lifetime = CentralLifetime(driver)
        driver.begin()
        process?.add(lifetime)
    }

    // MARK: Accessories

    /// The accessories that are paired with this app, in the order of pairing; at launch, those
    /// that the store remembers.
    public var accessories: [Accessory] { driver.accessoryList.accessories }

    /// All additions and removals of accessories, beginning with an addition for each current
    /// accessory.
    public var accessoryChanges: Events<AccessoryListChange> {
        driver.accessoryList.events().keeping(lifetime)
    }

    /// Returns the first known accessory of the description's kind; `nil` if there is none.
    ///
    /// - Parameter description: The description. Only its kind matters.
    public func knownAccessory(_ description: AccessoryDescription) -> Accessory? {
        accessories.first { $0.description.kind == description.kind }
    }

    /// Returns the known accessory of the description's kind, or pairs a new one.
    ///
    /// A known accessory may be out of range. A new one is paired with the whole description (see
    /// ``pair(_:)-(AccessoryDescription)``). If the system has lost the known accessory, for
    /// example because its settings were reset, and only the system's identifier can identify it,
    /// the central forgets it and pairs a new one. A call during a pairing of this kind joins that
    /// pairing.
    ///
    /// - Parameter description: The description. For a known accessory, only the kind matters.
    /// - Throws: The errors of ``pair(_:)-(AccessoryDescription)``, and
    ///   ``AccessoryError/notErased`` if the store failed to erase an accessory that the system has
    ///   lost.
    public func accessory(
        _ description: AccessoryDescription
    ) async throws(AccessoryError) -> Accessory {
        if let known = knownAccessory(description),
            await !driver.isBeingForgotten(known.snapshot)
        {
            guard try await driver.isUnknownToSystem(known.snapshot) else { return known }
            try await forget(known)
        }
        return try await lifetime.pair(description, orJoin: true)
    }

    /// Searches for an accessory of this kind that is not yet known, connects to it, makes it
    /// ready, and keeps it from then on.
    ///
    /// ```swift
    /// do {
    ///     let accessory = try await central.pair(strap)
    /// } catch .notFound {
    ///     print("Hold the strap nearer, and press its button.")
    /// } catch .outOfConnectionSlots(let slots) {
    ///     print("Disconnect one of", slots.holders)
    /// }
    /// ```
    ///
    /// While Bluetooth is off or its state is unknown, the call waits.
    /// ``AccessoryTimeouts/firstPairing`` limits all steps together. Canceling the task cancels the
    /// pairing.
    ///
    /// The description may differ from the one of the same kind that the central was created with,
    /// for example because a person chose one of several devices. The whole description then
    /// applies to this accessory. At the next launch, the central finds the accessory by its kind
    /// and uses its own description of that kind.
    ///
    /// - Parameter description: The description of the accessory.
    /// - Returns: The accessory, which was ready when the call ended.
    /// - Throws: ``AccessoryError/unknownKind(_:)`` if the central was created without a
    ///   description of this kind; ``AccessoryError/notFound(after:)`` if no such accessory was
    ///   seen in time; ``AccessoryError/connectingTimedOut(after:)`` if one was seen but no
    ///   connection was made; ``AccessoryError/stepTimedOut(_:after:)`` if a later step took too
    ///   long; ``AccessoryError/attemptFailed(_:)`` if a link was refused or lost;
    ///   ``AccessoryError/outOfConnectionSlots(_:)``; ``AccessoryError/notPaired``;
    ///   ``AccessoryError/unauthorized``; ``AccessoryError/unsupported``;
    ///   ``AccessoryError/abandoned(_:)``; ``AccessoryError/unfilteredScan`` if the matcher names
    ///   no service, unless the configuration allows such scans; ``AccessoryError/shutDown``;
    ///   ``AccessoryError/cancelled``.
    public func pair(
        _ description: AccessoryDescription
    ) async throws(AccessoryError) -> Accessory {
        try await lifetime.pair(description)
    }

    /// Forgets an accessory: ends its link, withdraws its connection request and erases it from the
    /// store. The system keeps its own bond, which a person can remove in the settings.
    ///
    /// Returns when the link has ended and the store has been written. A pairing of the accessory
    /// that begins meanwhile waits for the end of the link.
    ///
    /// - Parameter accessory: The accessory. If it belongs to another central, that central forgets
    ///   it.
    /// - Throws: ``AccessoryError/notErased`` if the store failed: the accessory is forgotten in
    ///   this process, but may return at the next launch. ``AccessoryError/shutDown``,
    ///   ``AccessoryError/cancelled``.
    public func forget(_ accessory: Accessory) async throws(AccessoryError) {
        try await accessory.driver.forget(accessory.snapshot, accessory.id)
    }

    // MARK: Bluetooth and connection slots

    /// The availability of Bluetooth, as far as it is known.
    public var availability: Availability { driver.availability.value }

    /// All changes of the availability, beginning with the current one.
    public var availabilityChanges: Events<Availability> {
        driver.availability.events().keeping(lifetime)
    }

    /// The number of connection slots, the accessories that hold them, and those that wait for one.
    ///
    /// Each link, and each connection attempt with a time limit, needs a connection slot.
    /// ``AccessoryCentral/Configuration/connectionLimit`` determines the number of slots. The value
    /// is a snapshot of the latest change, and all durations in it relate to that moment.
    public var connectionSlots: ConnectionSlots { driver.slots.value }

    /// All changes of the connection slots, beginning with the current snapshot.
    public var connectionSlotChanges: Events<ConnectionSlots> {
        driver.slots.events().keeping(lifetime)
    }

    /// Reports which matching devices are near and which were lost, as long as the app holds the
    /// sequence.
    ///
    /// ```swift
    /// for await event in try central.presence(matching: .service("180D")) { print(event) }
    /// ```
    ///
    /// Presence needs repeated advertisements of each device. In the background iOS reports each
    /// device only once, so devices that are near would seem to leave. The app must therefore set
    /// ``isInBackground``.
    ///
    /// - Parameters:
    ///   - matcher: The rule that selects the devices.
    ///   - options: The rules by which a device counts as present or lost.
    /// - Returns: The arrivals and departures. The sequence ends when the central ends, or at once
    ///   if 256 scans are requested already, which the ``FlightRecorder`` notes.
    /// - Throws: ``AccessoryError/unfilteredScan`` if the matcher names no service, unless the
    ///   configuration allows such scans.
    public func presence(
        matching matcher: AccessoryMatcher,
        options: PresenceOptions = PresenceOptions()
    ) throws(AccessoryError) -> Events<PresenceEvent> {
        try driver.presence(matching: matcher, options).keeping(lifetime)
    }

    /// Whether the app is in the background. The app sets this when it leaves the screen and when
    /// it comes back:
    ///
    /// ```swift
    /// .onChange(of: scenePhase) { central.isInBackground = scenePhase == .background }
    /// ```
    ///
    /// In the background iOS reports nothing to a scan that names no service, and each device only
    /// once to any other scan. The central therefore omits requests without services. Otherwise its
    /// only scan, which combines all requests, would find nothing.
    /// ``presence(matching:options:)`` and ``nearby(matching:options:)`` still report arrivals, but
    /// no device as lost, because in the background a missing advertisement does not prove that a
    /// device has left. Links, pending connection requests and restoration work as in the
    /// foreground.
    ///
    /// On Linux, which has no background, the central's manager also follows these rules
    /// (`CBManager.followsBackgroundRules`), for tests of an app.
    public var isInBackground: Bool {
        get { driver.isInBackground.change { $0 } }
        set { driver.setInBackground(newValue) }
    }

    /// Ends all links, scans and waiting calls. The system restores none of them; remembered
    /// accessories stay in the store. Returns when the central has withdrawn everything and reports
    /// nothing more. The system then ends the links that no other app uses.
    public func shutDown() async {
        await driver.shutDown()
    }
}

/// An addition to the accessories of a central, or a removal.
public enum AccessoryListChange: Sendable {
    /// The accessory was added, for example by a pairing, or was known when the sequence began.
    case added(Accessory)
    /// The accessory was forgotten.
    case removed(Accessory)
}
