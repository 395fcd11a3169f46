// Holds the namespaces of a pod until it is stopped: the sandbox container of Kubernetes.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, syscall.SIGTERM, syscall.SIGINT)
	<-stopped
}
