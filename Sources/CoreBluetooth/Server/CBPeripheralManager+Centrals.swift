// SPDX-License-Identifier: Apache-2.0

import CoreBluetoothEnumerations
import Foundation

extension CBPeripheralManager {
    func answer(_ request: CBATTRequest, _ result: CBATTError.Code) {}

    func send(
        _ value: Data,
        of characteristic: CBMutableCharacteristic,
        to centrals: [CBCentral]?
    ) -> Bool { true }

    func request(_ latency: CBPeripheralManagerConnectionLatency, of central: CBCentral) {}
}
