// SPDX-License-Identifier: Apache-2.0

/// What the options of a manager's initialiser say. `CBCentralManagerOptionShowPowerAlertKey` and
/// `CBCentralManagerOptionDeviceAccessForMedia` say nothing here: there is nobody to be alerted, and
/// nothing that a device would be kept from.
struct ManagerOptions: Sendable {
    let adapter: CBAdapter?
    let restoreIdentifier: String?
    /// Whether the rules for applications in the background hold.
    let hasBackgroundRules: Bool

    init(_ options: [String: Any]?) {
        adapter =
            switch options?[CBManagerOptionAdapterKey] {
            case let adapter as CBAdapter: adapter
            case let name as String: CBAdapter(name)
            default: CBAdapter.default
            }
        // Both roles have the same key.
        restoreIdentifier = options?[CBCentralManagerOptionRestoreIdentifierKey] as? String
        hasBackgroundRules = options?.flag(CBManagerOptionBackgroundRulesKey) ?? false
    }
}
