// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import JSONText
import VirtualRadio

extension JSONNode {
    /// The longest time in a scenario, in seconds: a year.
    private static let longestTime = 31_536_000.0

    /// The value in seconds.
    var time: Duration {
        get throws(JSONError) { .seconds(try number(in: 0...Self.longestTime)) }
    }

    /// The value in seconds since the beginning of the scenario.
    var instant: Instant {
        get throws(JSONError) { .zero + (try time) }
    }

    /// The value as a probability, 0 to 1.
    var probability: Double {
        get throws(JSONError) { try number(in: 0...1) }
    }
}

extension JSONNode {
    /// The value as faults of a controller.
    var faults: FaultPlan {
        get throws(JSONError) {
            let members = try members(
                "toHost",
                "toController",
                "events",
                "hang",
                "restart",
                "hardwareError"
            )
            var plan = FaultPlan()
            if let node = members["toHost"] { plan.toHost = try node.latency }
            if let node = members["toController"] { plan.toController = try node.latency }
            if let node = members["events"] { plan.events = try node.eventFaults }
            if let node = members["hang"] { plan.hang = try node.hang }
            if let node = members["restart"] { plan.restart = try node.instant }
            if let node = members["hardwareError"] { plan.hardwareError = try node.hardwareFault }
            return plan
        }
    }

    private var latency: WireLatency {
        get throws(JSONError) {
            let members = try members("fixed", "jitter")
            var latency = WireLatency.none
            if let node = members["fixed"] { latency.fixed = try node.time }
            if let node = members["jitter"] { latency.jitter = try node.time }
            return latency
        }
    }

    private var eventFaults: EventFaults {
        get throws(JSONError) {
            let members = try members("drop", "duplicate", "delay", "delayTime", "corrupt", "bits")
            var faults = EventFaults()
            if let node = members["drop"] { faults.dropProbability = try node.probability }
            if let node = members["duplicate"] {
                faults.duplicateProbability = try node.probability
            }
            if let node = members["delay"] { faults.delayProbability = try node.probability }
            if let node = members["delayTime"] { faults.delay = try node.time }
            if let node = members["corrupt"] { faults.corruptProbability = try node.probability }
            if let node = members["bits"] {
                faults.corruptBitCount = Int(try node.wholeNumber(in: 1...2_048))
            }
            return faults
        }
    }

    private var hang: Hang {
        get throws(JSONError) {
            let members = try members("at", "afterCommands", "radioGoesOn")
            let goesOn = try members["radioGoesOn"]?.bool ?? false
            switch (members["at"], members["afterCommands"]) {
            case (let node?, nil): return Hang(.at(try node.instant), radioGoesOn: goesOn)
            case (nil, let node?):
                let count = Int(try node.wholeNumber(in: 0...1_000_000))
                return Hang(.afterCommands(count), radioGoesOn: goesOn)
            default: throw error("either \"at\" or \"afterCommands\" should be here")
            }
        }
    }

    private var hardwareFault: HardwareFault {
        get throws(JSONError) {
            let members = try members("at", "code")
            let code = try members["code"]?.wholeNumber(in: 0...255) ?? 0
            return HardwareFault(at: try members.require("at").instant, code: UInt8(code))
        }
    }
}
