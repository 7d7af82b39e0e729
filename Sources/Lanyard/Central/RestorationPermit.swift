// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging

/// Whether an application may ask the system to restore what it was doing.
///
/// Where `UIBackgroundModes` rules, Core Bluetooth raises an exception if a manager is given an identifier
/// for restoration and the application's `Info.plist` lacks the mode: the application would end at launch.
/// So the identifier is left out there, and that is said once.
enum RestorationPermit {
    /// What is to be restored, as `Info.plist` calls it.
    enum Mode: String {
        case central = "bluetooth-central"
        case peripheral = "bluetooth-peripheral"
    }

    /// The identifier if it may be used; nil if there is none, or it may not.
    static func permitted(_ identifier: String?, for mode: Mode) -> String? {
        guard let identifier else { return nil }
        #if os(macOS) || os(Linux)
            return identifier
        #else
            if isGiven(for: mode, by: Bundle.main.infoDictionary ?? [:]) { return identifier }
            warn(mode)
            return nil
        #endif
    }

    /// Whether an `Info.plist` has the mode.
    static func isGiven(for mode: Mode, by info: [String: Any]) -> Bool {
        (info["UIBackgroundModes"] as? [String])?.contains(mode.rawValue) ?? false
    }

    /// The modes of which it was said.
    private static let warned = Guarded<Set<Mode>>([])

    private static func warn(_ mode: Mode) {
        guard warned.change({ $0.insert(mode).inserted }) else { return }
        Logger(label: "Lanyard").warning(
            "Nothing will be restored: UIBackgroundModes in Info.plist lacks \(mode.rawValue)"
        )
    }
}
