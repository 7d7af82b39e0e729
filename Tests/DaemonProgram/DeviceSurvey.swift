// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A count of the devices that a scan discovers and whose names begin with the word `Device`.
struct DeviceSurvey {
    private let count: Int
    private var names: [UUID: String] = [:]
    private var reportCount = 0

    /// Starts a survey that is complete with this number of devices.
    init(of count: Int) { self.count = count }

    /// Counts a discovery. If the survey is complete, prints the numbers of different names and of
    /// reports, and returns `true`.
    mutating func isCompleted(by device: UUID, named name: String) -> Bool {
        guard name.hasPrefix("Device ") else { return false }
        reportCount += 1
        names[device] = name
        guard names.count == count else { return false }
        say("surveyed \(Set(names.values).count) in \(reportCount) reports")
        return true
    }
}
