// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

/// A controller that gives random answers, and later behaves correctly.
@Suite("A hostile controller")
struct HostileControllerTests {
    struct Run {
        var scheduler = CentralScheduler()
        var random: SplitMix64
        var now = Instant.zero
        var open: Set<UInt64> = []
        var outstanding: CentralStep?
        var nextID: UInt64 = 1
        var isUnstoppable = false

        init(seed: UInt64) {
            random = SplitMix64(seed: seed)
            configure()
        }

        private mutating func configure() {
            let capabilities = ControllerCapabilities.forTests(acceptListSize: 3)
            take(scheduler.configure(capabilities, ownAddressKind: .random, now: now))
        }

        mutating func take(_ actions: [CentralScheduler.Action]) {
            for action in actions {
                switch action {
                case .command(_, let step):
                    #expect(outstanding == nil, "Two commands are in progress")
                    outstanding = step
                case .connected(let id), .connectFailed(let id, _):
                    let wasOpen = open.remove(id) != nil
                    #expect(wasOpen, "Request \(id) ended twice")
                case .unstoppable: isUnstoppable = true
                default: break
                }
            }
        }

        private var code: HCI.ErrorCode {
            mutating get {
                let codes: [UInt8] = [0, 0, 0, 0x02, 0x07, 0x09, 0x0C, 0x12, 0x3E]
                return HCI.ErrorCode(rawValue: codes.randomElement(using: &random) ?? 0)
            }
        }

        mutating func step() {
            now = now + .milliseconds(Int.random(in: 0...800, using: &random))
            let address = DeviceAddress.accessory(UInt64.random(in: 1...4, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0: request(address)
            case 1:
                let id = open.sorted().randomElement(using: &random) ?? 0
                take(scheduler.cancel(id, now: now))
            case 2: take(scheduler.connectionCompleted(status: code, peer: address, now: now))
            case 3:
                let parameters = Bool.random(using: &random) ? ScanParameters() : nil
                take(scheduler.setScan(parameters, duration: .seconds(3), now: now))
            case 4: take(scheduler.deadlinePassed(now: now))
            case 5: take(scheduler.scanTimedOut(now: now))
            default: answer()
            }
        }

        private mutating func request(_ address: DeviceAddress) {
            let target: CentralScheduler.ConnectTarget =
                Bool.random(using: &random) ? .direct(address) : .pending(address)
            open.insert(nextID)
            take(scheduler.connect(nextID, to: target, now: now))
            nextID += 1
        }

        private mutating func answer() {
            let code = self.code
            let results: [CommandResult] = [
                .complete([code.rawValue]), .status(code), .complete([]), .timedOut, .discarded,
            ]
            answer(results.randomElement(using: &random) ?? .timedOut)
        }

        mutating func answer(_ result: CommandResult) {
            guard let step = outstanding else { return }
            outstanding = nil
            take(scheduler.commandFinished(step, result: result, now: now))
            guard isUnstoppable else { return }
            isUnstoppable = false
            outstanding = nil
            take(scheduler.reset(now: now))
            configure()
        }

        /// Cancels all requests and the scan, and then answers every command with success.
        mutating func behaveCorrectly() {
            for id in open.sorted() { take(scheduler.cancel(id, now: now)) }
            take(scheduler.setScan(nil, now: now))
            for _ in 0..<100 {
                let wasCancel = outstanding?.operation == .cancelConnection
                answer(.complete([0x00]))
                if wasCancel {
                    let status = HCI.ErrorCode.unknownConnectionIdentifier
                    take(scheduler.connectionCompleted(status: status, peer: .noPeer, now: now))
                }
                now = now + .milliseconds(500)
                take(scheduler.deadlinePassed(now: now))
            }
        }
    }

    @Test(
        "Random answers never trap, and canceled requests end when the controller is correct",
        arguments: RunSeed.seeds(40)
    )
    func run(seed: UInt64) {
        var run = Run(seed: seed)
        for _ in 0..<3000 { run.step() }
        run.behaveCorrectly()
        #expect(run.open.isEmpty, "Every canceled request has ended")
        #expect(run.scheduler.initiation == .idle)
        #expect(run.scheduler.nextDeadline == nil)
        #expect(run.outstanding == nil)
    }
}
