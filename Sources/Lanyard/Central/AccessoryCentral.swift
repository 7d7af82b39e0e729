// SPDX-License-Identifier: Apache-2.0

/// Where accessories are kept: finds them, connects to them, and keeps them connected.
///
/// ```swift
/// let central = AccessoryCentral(for: [strap])
/// let accessory = try await central.accessory(strap)  // the one that is known, or a new one
/// try await accessory.untilReady()
/// for await value in accessory.values(of: "2A37") { print(Array(value)) }
/// ```
///
/// At launch it takes up what the system restores, and what its store remembers, and connects to that.
/// An application has one for as long as it wants its accessories, with the same name at every launch. It
/// goes on as long as the application has the central, or anything that came of it: an accessory, a sequence
/// of values, a channel. To let go of all these is to let go of all links.
///
/// Everything may be called on any thread and from any task.
public final class AccessoryCentral: Sendable {
    let life: CentralLife
    var driver: CentralDriver { life.driver }

    /// A central for accessories of these kinds. Returns at once; what it does begins when Bluetooth is
    /// there.
    ///
    /// - Precondition: No two descriptions are of one kind.
    public init(
        for descriptions: [AccessoryDescription],
        configuration: Configuration = Configuration()
    ) {
        life = CentralLife(CentralDriver(descriptions, configuration))
        driver.begin()
        configuration.process?.add(life)
    }

    // MARK: Accessories

    /// The accessories that are paired with this application, in the order in which they were: at launch
    /// those that the store remembers.
    public var accessories: [Accessory] { driver.roster.accessories }

    /// What is added to the accessories, and what is removed, beginning with those that are there.
    public var accessoryChanges: Events<AccessoryListChange> {
        driver.roster.events().keeping(life)
    }

    /// The first accessory of a kind that is known already.
    public func knownAccessory(_ description: AccessoryDescription) -> Accessory? {
        accessories.first { $0.description.kind == description.kind }
    }

    /// The accessory of a kind that is known already, which may be out of range; or a new one, which is
    /// paired first (`pair(_:)`). One that the system has lost, as when its settings were reset, is
    /// forgotten, and makes room for a new one. Who asks while one is being paired gets that one.
    public func accessory(
        _ description: AccessoryDescription
    ) async throws(AccessoryError) -> Accessory {
        if let known = knownAccessory(description) {
            guard try await driver.isBeyondRecognition(known.mirror) else { return known }
            try await forget(known)
        }
        return try await life.pair(description.kind, orJoin: true)
    }

    /// Looks for an accessory of a kind that is not known yet, connects to it, gets it ready, and keeps
    /// it from then on.
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
    /// While Bluetooth is off or not known yet, it waits. The description's time-outs begin with the
    /// scan. To cancel the task is to call all off: nothing stays behind.
    ///
    /// - Throws: `notFound` if none was seen in time; `connectingTimedOut` if one was, and could not be
    ///   connected to; `attemptFailed` if a link was refused or lost; `outOfConnectionSlots`,
    ///   `notPaired`, `unauthorized`, `unsupported`, `unfilteredScan`, `cancelled`.
    public func pair(
        _ description: AccessoryDescription
    ) async throws(AccessoryError) -> Accessory {
        try await life.pair(description.kind)
    }

    /// Ends what there is with an accessory: its link, the wish to have one, and what the store knows of
    /// it. The system's own bond is the person's to remove, in the settings.
    ///
    /// Returns when the link is gone, and the store has been written.
    ///
    /// - Throws: `notErased` if the store failed: it is forgotten here, and may be back at the next launch.
    public func forget(_ accessory: Accessory) async throws(AccessoryError) {
        try await driver.forget(accessory.mirror, accessory.id)
    }

    // MARK: Around

    /// Whether there is Bluetooth to work with, as far as is known.
    public var availability: Availability { driver.outlook.value }

    /// The same, whenever it changes, beginning with the present one.
    public var availabilityChanges: Events<Availability> {
        driver.outlook.events().keeping(life)
    }

    /// How many links there may be, who has one, and who waits: as it was at the latest change, to which
    /// all durations in it count.
    public var connectionSlots: ConnectionSlots { driver.slots.value }

    /// The same, whenever it changes, beginning with how it is.
    public var connectionSlotChanges: Events<ConnectionSlots> {
        driver.slots.events().keeping(life)
    }

    /// Who is near and who is gone: of the devices that match, as long as somebody waits for it.
    ///
    /// ```swift
    /// for await event in try central.presence(matching: .service("180D")) { print(event) }
    /// ```
    ///
    /// It lives on hearing a device again and again. In the background iOS reports each but once, so that
    /// those that are near seem to be lost there: listen while the application is shown.
    ///
    /// - Throws: `unfilteredScan` if the matcher names no service, unless the configuration allows that.
    public func presence(
        matching matcher: AccessoryMatcher
    ) throws(AccessoryError) -> Events<PresenceEvent> {
        try driver.presence(matching: matcher).keeping(life)
    }

    /// Ends everything: links, scans, what is waited for. The system restores nothing of it; what is
    /// remembered stays. Returns when all has been called off and nothing more is told; links that other
    /// applications do not use are ended by the system right after.
    public func shutDown() async {
        await driver.shutDown()
    }
}

/// An accessory more, or one less.
public enum AccessoryListChange: Sendable {
    /// It was paired, or was known when the listening began.
    case added(Accessory)
    /// It was forgotten.
    case removed(Accessory)
}
