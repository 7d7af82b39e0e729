// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost

/// What an application wants of a scan.
struct ScanWish: Sendable {
    let request: ScanRequest

    init(_ services: [CBUUID]?, _ options: [String: Any]?) {
        let allowsDuplicates =
            options?[CBCentralManagerScanOptionAllowDuplicatesKey] as? Bool ?? false
        request = ScanRequest(
            filter: ScanFilter(services: Set((services ?? []).map(\.value))),
            parameters: ScanParameters(),
            reportsDuplicates: allowsDuplicates
        )
    }
}
