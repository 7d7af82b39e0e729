// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreBluetooth) && os(Linux)
    import CoreBluetooth
    import Dispatch
    import Foundation
    import HCITransports
    import Synchronization

    /// An application of CoreBluetooth that is connected to the scripted peer and subscribed to its
    /// notifications, on a serial queue of its own.
    public final class FacadeScenario: Sendable {
        private let executor = AdapterExecutor()
        private let controller: ScriptedController
        private let adapter: CBAdapter
        private let arrived = DispatchSemaphore(value: 0)
        private let subscriber = Subscriber()

        /// Finds the peer, connects, discovers and subscribes.
        public static func connected() async throws -> FacadeScenario {
            let scenario = FacadeScenario()
            try await scenario.controller.start()
            scenario.subscriber.start(on: scenario.adapter)
            await scenario.subscriber.ready.signalled()
            return scenario
        }

        private init() {
            let (hostSide, controllerSide) = InProcessTransport.pair()
            controller = ScriptedController(
                transport: controllerSide,
                executor: executor,
                advertisesPeer: true
            )
            adapter = CBAdapter(transport: hostSide, executor: executor)
        }

        /// Shuts down the adapter and its thread.
        public func finish() async {
            await adapter.shutDown()
            executor.shutDown()
        }

        /// Sends notifications in bursts to the delegate.
        public func receiveNotifications(count: Int, size: Int, burst: Int) async {
            let notification = ScriptedServer.notification(
                of: [UInt8](repeating: 0x5A, count: size)
            )
            let packets = [[UInt8]](repeating: notification, count: burst)
            let rest = Mutex(burst)
            subscriber.reaction.withLock { [arrived] in
                $0 = Reaction {
                    let isLast = rest.withLock { rest in
                        rest = rest == 1 ? burst : rest - 1
                        return rest == burst
                    }
                    if isLast { arrived.signal() }
                }
            }
            for _ in 0..<(count / burst) {
                await controller.send(packets)
                await arrived.signalled()
            }
        }

        /// Returns the times from a packet's arrival at the host until the delegate has the value,
        /// for single values.
        public func latencies(count: Int) async -> [Duration] {
            let times = Mutex<[Duration]>([])
            let sent = Instants()
            subscriber.reaction.withLock { [arrived] in
                $0 = Reaction {
                    let duration = sent.last.duration(to: .now)
                    times.withLock { $0.append(duration) }
                    arrived.signal()
                }
            }
            let packet = ScriptedServer.notification(of: [UInt8](repeating: 0x5A, count: 20))
            for _ in 0..<count {
                await controller.send([packet], notingIn: sent)
                await arrived.signalled()
            }
            return times.withLock { $0 }
        }
    }
#endif
