// SPDX-License-Identifier: Apache-2.0

import BluetoothClients

/// The options of a manager's initializer. `CBCentralManagerOptionShowPowerAlertKey` and
/// `CBCentralManagerOptionDeviceAccessForMedia` are ignored: Linux shows no alert and has no such
/// restriction.
struct ManagerOptions: Sendable {
    let adapter: CBAdapter?
    let restoreIdentifier: String?
    /// Whether the manager follows the rules for apps in the background.
    let hasBackgroundRules: Bool

    init(_ options: [String: Any]?) {
        adapter =
            switch options?[CBManagerOptionAdapterKey] {
            case let adapter as CBAdapter: adapter
            case let name as String: CBAdapter(name)
            default: CBAdapter.default
            }
        // The key is the same for both roles.
        restoreIdentifier = options?[CBCentralManagerOptionRestoreIdentifierKey] as? String
        hasBackgroundRules = options?.flag(CBManagerOptionBackgroundRulesKey) ?? false
    }
}
