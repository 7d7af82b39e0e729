// SPDX-License-Identifier: Apache-2.0

import CoreBluetoothEnumerations
import Foundation

extension CBPeripheral {
    func findServices(_ uuids: [CBUUID]?) {}

    func findIncludedServices(_ uuids: [CBUUID]?, of service: CBService) {}

    func findCharacteristics(_ uuids: [CBUUID]?, of service: CBService) {}

    func findDescriptors(of characteristic: CBCharacteristic) {}
}
