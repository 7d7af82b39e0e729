// SPDX-License-Identifier: Apache-2.0

// Shows the heart rate of the first sensor that it finds, and reconnects whenever the sensor is
// lost.
//
// usage: HeartRateMonitor [COUNT]        with COUNT, ends after that number of measurements

import Foundation

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) }
let monitor = HeartRateMonitor(measurementLimit: count)
monitor.start()
dispatchMain()
