// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import CoreBluetoothEnumerations
import Foundation

extension CBPeripheralManager {
    func answer(_ request: CBATTRequest, _ result: CBATTError.Code) {
        guard isReadyForCommands() else { return }
        // A Write Command has no response.
        guard let requestID = request.requestID else { return }
        let value = request.value.map { [UInt8]($0) } ?? []
        let answer: Result<[UInt8], ATT.ErrorCode> =
            result == .success ? .success(value) : .failure(ATT.ErrorCode(result))
        adapter?.execute { [session, handle = request.handle] in
            $0.answer(requestID, answer, at: handle, for: session)
        }
    }

    func send(
        _ value: Data,
        of characteristic: CBMutableCharacteristic,
        to centrals: [CBCentral]?,
        then completion: (@Sendable (Bool) -> Void)? = nil
    ) -> Bool {
        guard isReadyForCommands() else { return false }
        let characteristicID = snapshot.read { [session] in
            $0.characteristicID(of: characteristic, session)
        }
        guard let characteristicID else {
            Misuse.warn("\(characteristic.logName) is not published by \(Misuse.name(self))")
            completion?(false)
            return true
        }
        let wanted = centrals.map { Set($0.map(\.identifier)) }
        let peers = (characteristic.subscribedCentrals ?? []).map(\.identifier)
            .filter { wanted?.contains($0) ?? true }
            .map { PeerIdentifier($0) }
        guard !peers.isEmpty else {
            completion?(false)
            return true
        }
        guard updates.change({ $0.reserve() }) else { return false }
        adapter?.execute {
            $0.send([UInt8](value), of: characteristicID, to: peers, then: completion)
        }
        return true
    }

    /// Sends a value as `updateValue(_:for:onSubscribedCentrals:)` does, and reports its delivery,
    /// which Apple's API does not. The library `Lanyard` uses it.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - characteristic: The characteristic, which the manager has published.
    ///   - centrals: The centrals that get the value; `nil` for all that subscribed.
    ///   - completion: Receives whether the value was sent to all centrals or, for an indication,
    ///     whether all of them confirmed it. Called once, on any thread, if the result is `true`
    ///     and the manager is not released first.
    /// - Returns: `false` if Bluetooth is not on, or if there is no space for the value.
    package func updateValue(
        _ value: Data,
        for characteristic: CBMutableCharacteristic,
        onSubscribedCentrals centrals: [CBCentral]?,
        then completion: @escaping @Sendable (Bool) -> Void
    ) -> Bool {
        send(value, of: characteristic, to: centrals, then: completion)
    }

    func request(_ latency: CBPeripheralManagerConnectionLatency, of central: CBCentral) {
        guard isReadyForCommands() else { return }
        let peer = PeerIdentifier(central.identifier)
        let wanted: ConnectionLatency =
            switch latency {
            case .low: .low
            case .high: .high
            default: .medium
            }
        adapter?.execute { $0.request(wanted, of: peer) }
    }
}

extension ATT.ErrorCode {
    /// Creates the error that a central gets. Numbers that are not in the protocol's range become
    /// `unlikelyError`.
    fileprivate init(_ code: CBATTErrorCode) {
        self = UInt8(exactly: code.rawValue).map { ATT.ErrorCode(rawValue: $0) } ?? .unlikelyError
    }
}
