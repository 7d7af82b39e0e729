// SPDX-License-Identifier: Apache-2.0

// Shows the heart rate of the first sensor it finds, and comes back to it whenever it is lost.
//
// usage: HeartRateMonitor [COUNT]        end after so many measurements

import Foundation

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) }
let monitor = HeartRateMonitor(measurementLimit: count)
monitor.start()
dispatchMain()
