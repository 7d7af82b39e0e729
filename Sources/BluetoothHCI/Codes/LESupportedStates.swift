// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The activities that the Link Layer supports, alone and in pairs (Vol 4, Part E, 7.8.27).
    package struct LESupportedStates: BitSet {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        package static let nonConnectableAdvertising = LESupportedStates(rawValue: 1 << 0)
        package static let scannableAdvertising = LESupportedStates(rawValue: 1 << 1)
        package static let connectableAdvertising = LESupportedStates(rawValue: 1 << 2)
        package static let highDutyDirectedAdvertising = LESupportedStates(rawValue: 1 << 3)
        package static let passiveScanning = LESupportedStates(rawValue: 1 << 4)
        package static let activeScanning = LESupportedStates(rawValue: 1 << 5)
        package static let initiating = LESupportedStates(rawValue: 1 << 6)
        package static let peripheral = LESupportedStates(rawValue: 1 << 7)
        package static let nonConnectableAdvertisingAndPassiveScanning = LESupportedStates(
            rawValue: 1 << 8
        )
        package static let scannableAdvertisingAndPassiveScanning = LESupportedStates(
            rawValue: 1 << 9
        )
        package static let connectableAdvertisingAndPassiveScanning = LESupportedStates(
            rawValue: 1 << 10
        )
        package static let highDutyDirectedAdvertisingAndPassiveScanning = LESupportedStates(
            rawValue: 1 << 11
        )
        package static let nonConnectableAdvertisingAndActiveScanning = LESupportedStates(
            rawValue: 1 << 12
        )
        package static let scannableAdvertisingAndActiveScanning = LESupportedStates(
            rawValue: 1 << 13
        )
        package static let connectableAdvertisingAndActiveScanning = LESupportedStates(
            rawValue: 1 << 14
        )
        package static let highDutyDirectedAdvertisingAndActiveScanning = LESupportedStates(
            rawValue: 1 << 15
        )
        package static let nonConnectableAdvertisingAndInitiating = LESupportedStates(
            rawValue: 1 << 16
        )
        package static let scannableAdvertisingAndInitiating = LESupportedStates(rawValue: 1 << 17)
        package static let nonConnectableAdvertisingAndCentral = LESupportedStates(
            rawValue: 1 << 18
        )
        package static let scannableAdvertisingAndCentral = LESupportedStates(rawValue: 1 << 19)
        package static let nonConnectableAdvertisingAndPeripheral = LESupportedStates(
            rawValue: 1 << 20
        )
        package static let scannableAdvertisingAndPeripheral = LESupportedStates(rawValue: 1 << 21)
        package static let passiveScanningAndInitiating = LESupportedStates(rawValue: 1 << 22)
        package static let activeScanningAndInitiating = LESupportedStates(rawValue: 1 << 23)
        package static let passiveScanningAndCentral = LESupportedStates(rawValue: 1 << 24)
        package static let activeScanningAndCentral = LESupportedStates(rawValue: 1 << 25)
        package static let passiveScanningAndPeripheral = LESupportedStates(rawValue: 1 << 26)
        package static let activeScanningAndPeripheral = LESupportedStates(rawValue: 1 << 27)
        package static let initiatingAndCentral = LESupportedStates(rawValue: 1 << 28)
        package static let lowDutyDirectedAdvertising = LESupportedStates(rawValue: 1 << 29)
        package static let lowDutyDirectedAdvertisingAndPassiveScanning = LESupportedStates(
            rawValue: 1 << 30
        )
        package static let lowDutyDirectedAdvertisingAndActiveScanning = LESupportedStates(
            rawValue: 1 << 31
        )
        package static let connectableAdvertisingAndInitiating = LESupportedStates(
            rawValue: 1 << 32
        )
        package static let highDutyDirectedAdvertisingAndInitiating = LESupportedStates(
            rawValue: 1 << 33
        )
        package static let lowDutyDirectedAdvertisingAndInitiating = LESupportedStates(
            rawValue: 1 << 34
        )
        package static let connectableAdvertisingAndCentral = LESupportedStates(rawValue: 1 << 35)
        package static let highDutyDirectedAdvertisingAndCentral = LESupportedStates(
            rawValue: 1 << 36
        )
        package static let lowDutyDirectedAdvertisingAndCentral = LESupportedStates(
            rawValue: 1 << 37
        )
        package static let connectableAdvertisingAndPeripheral = LESupportedStates(
            rawValue: 1 << 38
        )
        package static let highDutyDirectedAdvertisingAndPeripheral = LESupportedStates(
            rawValue: 1 << 39
        )
        package static let lowDutyDirectedAdvertisingAndPeripheral = LESupportedStates(
            rawValue: 1 << 40
        )
        package static let initiatingAndPeripheral = LESupportedStates(rawValue: 1 << 41)
    }
}
