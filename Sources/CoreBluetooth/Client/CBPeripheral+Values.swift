// SPDX-License-Identifier: Apache-2.0

import CoreBluetoothEnumerations
import Foundation

extension CBPeripheral {
    func read(_ characteristic: CBCharacteristic) {}

    func read(_ descriptor: CBDescriptor) {}

    func writeLimit(of type: CBCharacteristicWriteType) -> Int { 0 }

    func write(
        _ data: Data,
        to characteristic: CBCharacteristic,
        _ type: CBCharacteristicWriteType
    ) {}

    func write(_ data: Data, to descriptor: CBDescriptor) {}

    func setNotifying(_ isOn: Bool, _ characteristic: CBCharacteristic) {}

    func measureRSSI() {}
}
