// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging

/// The decision whether an app may request state restoration.
///
/// On systems where `UIBackgroundModes` applies, Core Bluetooth raises an exception if a manager
/// has a restoration identifier and the app's `Info.plist` lacks the mode. The app would then
/// terminate at launch. The library therefore omits the identifier if the mode is missing, and logs
/// that once for each mode.
enum RestorationPermit {
    /// The kind of manager, with its background mode in `Info.plist`.
    enum Mode: String {
        case central = "bluetooth-central"
        case peripheral = "bluetooth-peripheral"
    }

    /// Returns the identifier if the app may use it; `nil` if there is none or it is not permitted.
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

    /// Returns whether an `Info.plist` has the mode.
    static func isGiven(for mode: Mode, by info: [String: Any]) -> Bool {
        (info["UIBackgroundModes"] as? [String])?.contains(mode.rawValue) ?? false
    }

    /// The modes for which the warning was logged.
    private static let warned = Locked<Set<Mode>>([])

    private static func warn(_ mode: Mode) {
        guard warned.change({ $0.insert(mode).inserted }) else { return }
        Logger(label: "Lanyard").warning(
            "State restoration is off: UIBackgroundModes in Info.plist lacks \(mode.rawValue)"
        )
    }
}
