// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import CoreBluetoothEnumerations
import Dispatch
import Foundation

/// An object that publishes services, advertises them, and answers the requests of centrals.
///
/// All methods may be called on any thread. The delegate is called on the queue that was passed to
/// the initializer, in order.
open class CBPeripheralManager: CBManager {
    /// The delegate. Held weakly.
    open var delegate: (any CBPeripheralManagerDelegate)? {
        get { delegateReference.change { $0.delegate } }
        set { delegateReference.change { $0.delegate = newValue } }
    }

    /// The delegate, behind a lock: a weak reference must not be read and set at the same time.
    private let delegateReference: LockedState<DelegateReference>

    private struct DelegateReference {
        weak var delegate: (any CBPeripheralManagerDelegate)?
    }

    private let receiver = WeakReference<CBPeripheralManager>()
    let delivery: Delivery<PeripheralManagerEvent>
    let snapshot = LockedState(PeripheralManagerSnapshot())
    /// The count of the values that are being sent to subscribers. `updateValue` returns `false`
    /// while the count is at its limit. The adapter's thread reduces the count.
    let updates = LockedState(PendingUpdateCount())

    /// Creates a manager without a delegate, on the main queue.
    public convenience init() {
        self.init(delegate: nil, queue: nil, options: nil)
    }

    /// Creates a manager whose delegate is called on `queue`; `nil` for the main queue.
    public convenience init(
        delegate: (any CBPeripheralManagerDelegate)?,
        queue: DispatchQueue?
    ) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// Creates a manager with options: `CBPeripheralManagerOption…` keys and
    /// `CBManagerOptionAdapterKey`.
    ///
    /// Returns at once, in the state `unknown`. `peripheralManagerDidUpdateState` follows.
    public init(
        delegate: (any CBPeripheralManagerDelegate)?,
        queue: DispatchQueue?,
        options: [String: Any]? = nil
    ) {
        delegateReference = LockedState(DelegateReference(delegate: delegate))
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
        connection.open(self.options.adapter) {
            $0.open(session)
        } orElse: {
            session.delivery.post(.stateChanged(.unsupported), from: nil)
        }
    }

    deinit {
        connection.leave { [session] in $0.close(peripheralManager: session) }
    }

    /// Whether this manager is advertising. Can be observed.
    open var isAdvertising: Bool { snapshot.read(\.isAdvertising) }

    /// Returns the permission of the app to use Bluetooth as a peripheral.
    @available(*, deprecated, message: "use CBManager.authorization")
    open class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus {
        CBPeripheralManagerAuthorizationStatus(rawValue: authorization.rawValue)
            ?? .notDetermined
    }

    // MARK: Advertising

    /// Starts advertising. Uses `CBAdvertisementDataLocalNameKey` and
    /// `CBAdvertisementDataServiceUUIDsKey`. `peripheralManagerDidStartAdvertising` follows.
    open func startAdvertising(_ advertisementData: [String: Any]?) {
        beginAdvertising(advertisementData ?? [:])
    }

    /// Stops advertising.
    open func stopAdvertising() {
        endAdvertising()
    }

    // MARK: Services

    /// Publishes a service. `didAdd` follows.
    open func add(_ service: CBMutableService) {
        publish(service)
    }

    /// Removes a published service.
    open func remove(_ service: CBMutableService) {
        unpublish(service)
    }

    /// Removes all published services of this manager.
    open func removeAllServices() {
        unpublishAll()
    }

    // MARK: Centrals

    /// Answers a request, or all writes that arrived with it.
    ///
    /// - Parameters:
    ///   - request: The request. For writes that arrived together, one of them, usually the first.
    ///     If `result` is an error, the response to the central names the attribute of this
    ///     request.
    ///   - result: `.success`, or the error that the central receives. An error refuses all writes
    ///     that arrived together.
    open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
        answer(request, result)
    }

    /// Sends a value to centrals that subscribed to the characteristic.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - characteristic: The characteristic, which the manager has published.
    ///   - centrals: The centrals that get the value; `nil` for all that subscribed.
    /// - Returns: `false` if Bluetooth is not on, or if there is no space for the value. In the
    ///   second case, `peripheralManagerIsReady` follows when there is space again.
    open func updateValue(
        _ value: Data,
        for characteristic: CBMutableCharacteristic,
        onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool {
        send(value, of: characteristic, to: centrals)
    }

    /// Requests a connection latency for a central's link. The result is not reported.
    open func setDesiredConnectionLatency(
        _ latency: CBPeripheralManagerConnectionLatency,
        for central: CBCentral
    ) {
        request(latency, of: central)
    }

    // MARK: Channels

    /// Publishes an L2CAP listener. `didPublishL2CAPChannel` follows with its PSM or an error.
    open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
        publishChannel(isEncrypted: encryptionRequired)
    }

    /// Ends an L2CAP listener, and closes the channels that it accepted.
    open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {
        unpublishChannel(PSM)
    }
}
