// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import HCITransports
import Logging

/// How a host behaves; every default is what most applications want.
public struct HostConfiguration: Sendable {
    /// The random static address to use; nil: the one in `store`, or else a new one. Another one than
    /// the stored bonds were made with disowns them: they are left alone, and not used.
    public var address: DeviceAddress?

    /// The device's name, as those read it who have connected (Vol 3, Part C, 12.1). What is
    /// advertised is said with each advertisement.
    public var name = "Lanyard"

    /// What the device looks like (Vol 3, Part C, 12.2); zero: unknown.
    public var appearance: UInt16 = 0

    /// The timing that the device would like on links that others make to it, as those read it
    /// (Vol 3, Part C, 12.3). If it is set, the host asks for it itself, five seconds after such a
    /// link was made, where the Central has chosen otherwise (Vol 3, Part C, 9.3.12.2).
    public var preferredConnectionParameters: ConnectionUpdate?

    /// Whether to ask for a larger MTU on links that others make as soon as they are up, rather than
    /// before the first operation on them. A Central as a rule asks itself.
    public var exchangesMTUAsPeripheral = false

    /// How many links that others made wait for a reader of `BluetoothHost.incomingLinks` who is
    /// busy. One more displaces the oldest, which stays connected.
    public var incomingLinkBufferLimit = 64

    /// The largest ATT MTU offered, 23 to 517 octets (Vol 3, Part F, 3.4.2).
    public var attMTU: Int = 517

    /// Whether peers may open Enhanced ATT bearers on encrypted links (Vol 3, Part G, 5.3).
    public var servesEnhancedBearers = true

    /// Whether links ask for the largest link-layer data length as soon as they are up, where the
    /// controller can: it multiplies throughput by three and costs one exchange.
    public var requestsDataLength = true

    /// Whether a peripheral that asks for other connection parameters gets them, as long as they
    /// are valid (Vol 3, Part A, 4.20).
    public var acceptsParameterRequests = true

    /// How many received values a subscription holds for a reader that is busy. One more ends
    /// the stream with `HostError.notificationsOverflowed`.
    public var notificationBufferLimit = 65_536

    /// How many advertisements a scan holds for a reader that is busy. One more displaces the
    /// oldest: an advertisement comes again.
    public var advertisementBufferLimit = 4_096

    /// Where the host keeps who it is, its bonds and the counters of signatures, what bonded clients of
    /// its server have configured, and the tables of bonded peers; nil keeps all of it for as long as
    /// the host lives. `BluetoothHost.init` loads identity and bonds on its caller's thread; all other
    /// calls come on the host's executor.
    public var store: (any HostStore)?

    /// What pairings may come to: those that peers begin, those on demand, and those by `Link.pair()`
    /// that name no policy of their own.
    public var pairing = Pairing.Policy()

    /// What pairings that peers begin may come to; nil: what `pairing` says.
    package var peerPairing: Pairing.Policy?

    /// Who answers for the person in front of the device; nil: nobody, and nothing is paired but
    /// what `Link.pair` is called for and needs no answer.
    public var pairingDelegate: (any PairingDelegate)?

    /// Whether peers may begin a pairing, which `pairingDelegate` is then asked about.
    public var acceptsPairing = true

    /// Whether an operation that a peer refuses for want of encryption or authentication makes the
    /// host encrypt, or pair as `pairing` allows and `pairingDelegate` consents, and is then
    /// repeated, once. If that fails, `SecurityRefusal` tells of both.
    public var securesOnDemand = true

    /// What to do about a peer that has lost the keys of its bond.
    public var bondLossPolicy = BondLossPolicy.refuse

    /// What the host shows of itself on the air.
    public var privacy = Privacy.off

    /// Where random numbers and keys come from.
    package var randomness: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()

    /// The peers that keys are shared with, when the host begins.
    package var bonds: [Bond] = []

    /// Who is told of every key as a link is about to be encrypted with it, on the host's executor;
    /// nil: nobody.
    package var keyObserver: (@Sendable (LinkKey) -> Void)?

    /// Where the host says what it does, and what peers and controllers do wrong: all of it at the
    /// level `debug`, so that nothing shows unless asked for. What an application has to act upon
    /// is thrown, or told by `BluetoothHost.states`. Values and keys are never logged.
    public var logger = Logger(label: "lanyard.host")

    /// Makes the default configuration.
    public init() {}
}
