// SPDX-License-Identifier: Apache-2.0

import CoreBluetoothEnumerations
import Dispatch
import Foundation

/// Publishes services, advertises them, and answers the centrals that use them.
///
/// All methods may be called on any thread; all callbacks come on the queue given to the initialiser, in
/// order.
open class CBPeripheralManager: CBManager {
    /// Who is told. Not kept alive.
    open var delegate: (any CBPeripheralManagerDelegate)? {
        get { audience.change { $0.delegate } }
        set { audience.change { $0.delegate = newValue } }
    }

    /// The delegate. Behind a lock, since a weak reference may not be read and set at once.
    private let audience: Guarded<Audience>

    private struct Audience {
        weak var delegate: (any CBPeripheralManagerDelegate)?
    }

    private let receiver = WeakReference<CBPeripheralManager>()
    let delivery: Delivery<PeripheralManagerEvent>
    let mirror = Guarded(PeripheralManagerMirror())
    /// The values on their way; shared with the adapter.
    let updates = Guarded(UpdateQueue())

    /// A manager that tells nobody, on the main queue.
    public convenience init() {
        self.init(delegate: nil, queue: nil, options: nil)
    }

    /// A manager whose delegate is called on `queue`; nil for the main queue.
    public convenience init(
        delegate: (any CBPeripheralManagerDelegate)?,
        queue: DispatchQueue?
    ) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// The same with options: `CBPeripheralManagerOption…` keys, and `CBManagerOptionAdapterKey`.
    ///
    /// Returns at once, in the state `unknown`; the first `peripheralManagerDidUpdateState` follows.
    public init(
        delegate: (any CBPeripheralManagerDelegate)?,
        queue: DispatchQueue?,
        options: [String: Any]? = nil
    ) {
        audience = Guarded(Audience(delegate: delegate))
        delivery = Delivery(on: queue) { [receiver] in receiver.object?.receive($0) }
        super.init(ManagerOptions(options))
        receiver.object = self
        let session = PeripheralManagerSession(
            identifier: session,
            delivery: delivery,
            updates: updates,
            restoreIdentifier: self.options.restoreIdentifier,
            hasBackgroundRules: self.options.hasBackgroundRules
        )
        seat.take(at: self.options.adapter) {
            $0.open(session)
        } orElse: {
            session.delivery.post(.stateChanged(.unsupported), from: nil)
        }
    }

    deinit {
        seat.leave { [session] in $0.close(peripheralManager: session) }
    }

    /// Whether this manager's advertising is on the air.
    open var isAdvertising: Bool { mirror.read(\.isAdvertising) }

    /// Whether the program may share data by Bluetooth.
    @available(*, deprecated, message: "use CBManager.authorization")
    open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus {
        CBPeripheralManagerAuthorizationStatus(rawValue: authorization.rawValue)
            ?? .notDetermined
    }

    // MARK: Advertising

    /// Advertises: `CBAdvertisementDataLocalNameKey` and `CBAdvertisementDataServiceUUIDsKey`.
    open func startAdvertising(_ advertisementData: [String: Any]?) {
        beginAdvertising(advertisementData ?? [:])
    }

    /// Ends advertising.
    open func stopAdvertising() {
        endAdvertising()
    }

    // MARK: Services

    /// Publishes a service; `didAdd` follows.
    open func add(_ service: CBMutableService) {
        publish(service)
    }

    /// Takes a service back.
    open func remove(_ service: CBMutableService) {
        unpublish(service)
    }

    /// Takes all services of this manager back.
    open func removeAllServices() {
        unpublishAll()
    }

    // MARK: Centrals

    /// Answers a request.
    open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
        answer(request, result)
    }

    /// Sends a value to those that subscribed to it; false if there is no room, and
    /// `peripheralManagerIsReady` follows when there is.
    open func updateValue(
        _ value: Data,
        for characteristic: CBMutableCharacteristic,
        onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool {
        send(value, of: characteristic, to: centrals)
    }

    /// Says how a link is to be: a wish, of which nothing more is heard.
    open func setDesiredConnectionLatency(
        _ latency: CBPeripheralManagerConnectionLatency,
        for central: CBCentral
    ) {
        request(latency, of: central)
    }

    // MARK: Channels

    /// Listens for channels, on a PSM that `didPublishL2CAPChannel` tells.
    open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
        publishChannel(isEncrypted: encryptionRequired)
    }

    /// Listens no more, and closes the channels that came of it.
    open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {
        unpublishChannel(PSM)
    }
}
