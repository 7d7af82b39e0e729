// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import HCITransports
import Logging

/// The configuration of a host. The defaults suit most applications.
public struct HostConfiguration: Sendable {
    /// The random static address that the host uses as its identity. With `nil`, the host uses the
    /// address in `store`, or generates one.
    ///
    /// If the address differs from the one with which the stored bonds were made, those bonds stay
    /// in the store and are not used.
    public var address: DeviceAddress?

    /// The device name that connected peers read (Vol 3, Part C, 12.1). The local name in an
    /// advertisement is set with each advertisement.
    public var name = "Lanyard"

    /// The appearance that connected peers read (Vol 3, Part C, 12.2); zero for unknown.
    public var appearance: UInt16 = 0

    /// The connection parameters that the device prefers on incoming links, as connected peers read
    /// them (Vol 3, Part C, 12.3); `nil` for no preference.
    ///
    /// If the property is set and the central has chosen another interval or latency, the host
    /// requests these parameters five seconds after the link was made (Vol 3, Part C, 9.3.12.2).
    public var preferredConnectionParameters: ConnectionUpdate?

    /// Whether the host requests a larger MTU on incoming links as soon as they are open, instead
    /// of before the first operation on them. A central usually requests one itself.
    public var exchangesMTUAsPeripheral = false

    /// The maximum number of incoming links that wait for a busy reader of
    /// `BluetoothHost.incomingLinks`. A further link displaces the oldest, which stays connected.
    public var incomingLinkBufferLimit = 64

    /// The largest ATT MTU that the host offers, 23 to 517 bytes (Vol 3, Part F, 3.4.2).
    public var attMTU: Int = 517

    /// Whether peers may open Enhanced ATT bearers on encrypted links (Vol 3, Part G, 5.3).
    public var servesEnhancedBearers = true

    /// Whether the host requests the largest link-layer data length as soon as a link is open, if
    /// the controller supports it.
    public var requestsDataLength = true

    /// Whether the host accepts valid connection parameters that a peer requests (Vol 3, Part A,
    /// 4.20; Vol 4, Part E, 7.7.65.6).
    public var acceptsParameterRequests = true

    /// The longest supervision timeout that the host accepts from a peripheral, unless the interval
    /// and latency that the peripheral requests need a longer one; `nil` for no limit.
    package var supervisionTimeoutLimit: Duration?

    /// The maximum number of received values that a subscription holds for a busy reader. A further
    /// value ends the stream with `HostError.notificationsOverflowed`.
    public var notificationBufferLimit = 65_536

    /// The maximum number of advertisements that a scan holds for a busy reader. A further
    /// advertisement displaces the oldest, because advertisers repeat themselves.
    public var advertisementBufferLimit = 4_096

    /// The store for the host's identity, its bonds, the counters of signatures, the configuration
    /// of bonded clients, and the databases of bonded peers. With `nil`, all of this lasts at most
    /// as long as the host.
    ///
    /// `BluetoothHost.init` loads the identity, or stores a new one, on its caller's thread. All
    /// other calls to the store are made on the host's executor.
    public var store: (any HostStore)?

    /// The policy of pairings that peers begin, of pairings on demand, and of calls of
    /// `Link.pair(_:)` that name no policy.
    public var pairing = Pairing.Policy()

    /// The policy of pairings that peers begin; with `nil`, the policy in `pairing`.
    package var peerPairing: Pairing.Policy?

    /// The delegate that answers pairing questions for the user.
    ///
    /// With `nil`, the host pairs only when the application calls `Link.pair(_:)` and the pairing
    /// asks no question.
    public var pairingDelegate: (any PairingDelegate)?

    /// A closure that returns whether a person answers the questions of `pairingDelegate`. If so,
    /// the host limits the number of questions.
    package var asksPerson: @Sendable () -> Bool = { true }

    /// Whether peers may begin a pairing as soon as the host has started.
    ///
    /// The host asks `pairingDelegate` about one link at a time: while a question is open, the host
    /// refuses peers on other links with `Pairing.FailureReason.busy`. If the answer to three
    /// questions in a row is not yes, even for different peers, the host refuses incoming pairings
    /// for a minute. Each further question without the answer yes doubles that time, up to ten
    /// minutes. A successful pairing and ``BluetoothHost/openPairingWindow(for:)`` end the delay.
    public var acceptsPairing = true

    /// The time after the start of the host in which peers may begin a pairing, if `acceptsPairing`
    /// is `true`; `nil` for no limit. ``BluetoothHost/openPairingWindow(for:)`` opens another
    /// window.
    public var pairingWindow: Duration?

    /// Whether the host encrypts the link, or pairs, when a peer refuses an operation because
    /// encryption or authentication is insufficient.
    ///
    /// The host pairs as `pairing` allows and if `pairingDelegate` consents, then repeats the
    /// operation once. If the pairing fails, the operation throws ``SecurityRefusal``, which
    /// contains both errors.
    public var securesOnDemand = true

    /// The policy for a peer that has lost the keys of its bond.
    public var bondLossPolicy = BondLossPolicy.refuse

    /// The kind of address that the host uses on the air.
    public var privacy = Privacy.off

    /// The source of random numbers and keys.
    package var randomness: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()

    /// The bonds that the host has when it is created.
    package var bonds: [Bond] = []

    /// A closure that gets every key that is about to encrypt a link, on the host's executor; `nil`
    /// for none.
    package var keyObserver: (@Sendable (LinkKey) -> Void)?

    /// The logger of the host.
    ///
    /// The host logs its actions, and the faults of peers and controllers, at the level `debug`. It
    /// logs the state ``AdapterState/unavailable(_:)`` as a `warning`. It logs the recovery from
    /// that state, and notices of the transport, as a `notice`. It logs no values and no keys.
    public var logger = Logger(label: "lanyard.host")

    /// Creates the default configuration.
    public init() {}
}
