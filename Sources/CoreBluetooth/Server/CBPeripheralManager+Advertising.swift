// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import Foundation

extension CBPeripheralManager {
    func beginAdvertising(_ data: [String: Any]) {
        guard isReadyForCommands() else { return }
        let advertisement = AdvertisementRequest(data, hasBackgroundRules: isInBackground)
        command(making: { snapshot.read(\.stopCount) }) {
            [session] adapter, stopCount, statesReceived in
            let isCurrent = adapter.accepts(commandOf: session, after: statesReceived)
            adapter.startAdvertising(
                advertisement,
                stopCount: stopCount,
                isCurrent: isCurrent,
                for: session
            )
        }
    }

    func endAdvertising() {
        guard isReadyForCommands() else { return }
        command(making: {
            snapshot.change { snapshot in
                snapshot.stopCount += 1
                snapshot.isAdvertising = false
            }
        }) { [session] adapter, _, _ in
            adapter.stopAdvertising(for: session)
        }
        observers.report()
    }

    /// Whether this manager or all managers of its adapter follow the background rules.
    private var isInBackground: Bool {
        followsBackgroundRules || options.adapter?.followsBackgroundRules == true
    }
}
